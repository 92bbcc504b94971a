"""Photos, videos and sound as readers of ingestion. Their bytes stay where they are; frames point to them."""
