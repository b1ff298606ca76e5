"""The words of English and Spanish, and terms and names that no dictionary has: looked up, never written."""
