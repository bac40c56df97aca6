"""The timeline under the stage: ruler, one lane per view, marks of time, read-outs."""
