"""What makes parts of the repository from the code."""
