"""Language models as pilots: chat policies, the conversation between them and the cockpit, harnesses."""
