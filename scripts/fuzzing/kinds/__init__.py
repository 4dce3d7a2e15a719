"""What is fuzzed: each kind makes cases of one class of doors."""
