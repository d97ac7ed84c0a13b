"""What a release gives away: guessing games, ranks, linkage."""
