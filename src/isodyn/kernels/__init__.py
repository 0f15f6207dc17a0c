"""What compiled code stands on: named memory."""
