"""Publishing: messages in, notifications out."""
