/**
 * The back end of names that a majority agrees on: {@link org.posthouse.names.raft.RaftNames} asks the judges, and is one of them if the relay's configuration
 * names it. A judge is a Raft server of Apache Ratis over connections of our own, which a {@link org.posthouse.names.raft.PeerGuard} admits; Ratis' own
 * transports are not used. docs/names.md has the bytes, and what operators need to know.
 */
package org.posthouse.names.raft;
