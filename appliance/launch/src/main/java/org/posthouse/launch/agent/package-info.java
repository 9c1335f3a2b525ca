/**
 * The agent: a process on a compute node that offers the node's slots at its relay, and runs processes of ranks for
 * launchers (docs/nodes.md).
 *
 * <p>{@link org.posthouse.launch.agent.Agent} is the entry; all state is confined to its one thread. The command {@code
 * posthouse agent} calls this package. The launcher's end of the exchange is {@code org.posthouse.launch.remote}.
 */
package org.posthouse.launch.agent;
