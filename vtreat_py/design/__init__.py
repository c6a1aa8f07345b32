"""How a plan is learned, whatever the engine."""
