"""The generic pilot, a baseline: textbook flows without the particulars of the type on board."""
