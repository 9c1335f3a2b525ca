/**
 * A shard is one core and the ranks that it owns, on one strand. Here are the shard, its ways to other shards and
 * relays, the output gate, the readers of histories, and the placement of shards on threads (the mode).
 */
package org.posthouse.relay.shard;
