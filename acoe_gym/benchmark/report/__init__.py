"""A report of runs: one page of HTML that needs no network, figures, and the same numbers as files.

- `data`: what is shown, gathered from the runs' folders; numbers come from `metrics.aggregate` alone
- `shown`, `versions`, `notes`: one run and its names, which runs may stand together, what to say of them
- `tables`, `figures`: the numbers as CSV, JSON and Parquet, and as PNG and SVG
- `markup`, `charts`: HTML that escapes whatever is not HTML, and drawings in it
- `parts`, `section_*`, `published`: the page's sections of numbers
- `traces`: what happened in every episode, as compact JSON
- `page`: all of it in one file, with ``page.html``, ``page.css`` and ``page.js``
"""
