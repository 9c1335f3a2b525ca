/**
 * The histories of ranks that are followed in jobs without a log ({@code run --replicas} with {@code --durability none}): kept in memory,
 * within a bound, as long as a process that follows may need them.
 */
package org.posthouse.relay.memory;
