"""Two runs compared: paired differences beyond noise, tasks that flipped, core against fresh variants."""
