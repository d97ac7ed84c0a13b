"""What a release gives away: guessing games, the ladder of attackers, ranks, linkage."""
