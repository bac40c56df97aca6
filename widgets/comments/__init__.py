"""Comments on the shown record: a panel beside every workspace, pins on the stage, unread comments."""
