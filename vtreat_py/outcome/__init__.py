"""What is predicted."""
