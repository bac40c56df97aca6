"""The timeline below the stage: ruler, one lane per view, in and out marks, numeric displays."""
