/**
 * Processes of ranks on nodes, as their launcher sees them: the nodes of a job, the exchange with their agents, and the
 * processes' streams (docs/nodes.md).
 *
 * <p>{@link org.posthouse.launch.remote.AgentPool} is the entry, guarded by its own lock. The agents' end of the exchange
 * is {@code org.posthouse.launch.agent}.
 */
package org.posthouse.launch.remote;
