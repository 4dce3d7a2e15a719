"""One file for each contestant of the row *learning*: the models it has, by task."""
