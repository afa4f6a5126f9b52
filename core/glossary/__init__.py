"""Terms that the documents explain in their own words, and cards of question and answer; every word a proven quote."""
