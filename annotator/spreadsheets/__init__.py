"""Tables that people fill in or read in other programs: items, answers, clips, figures of people."""
