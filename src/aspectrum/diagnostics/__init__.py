"""What there is to say about inputs: notices as data, findings, and the check of files before an evaluation."""
