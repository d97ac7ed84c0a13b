"""The pages of the book that are made from results, not written by hand."""
