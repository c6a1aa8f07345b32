"""What everything stands on: nothing of this field."""
