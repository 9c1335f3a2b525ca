package org.posthouse.launch.provision;

import java.util.List;
import java.util.function.Consumer;
import org.posthouse.launch.job.JobFailure;

/**
 * Brings agents to hosts, and takes them away. The agents dial their relays by themselves. Any thread may call it.
 * Closing it releases all grants.
 */
public interface Provisioner extends AutoCloseable {
    /**
     * Starts agents. Does not wait until they have reached a relay. A host is in one grant at a time; one that was lost may
     * be granted again.
     *
     * @throws JobFailure in one line, if there are too few hosts or no agent can be started; then none was
     */
    HostGrant request(HostRequest request) throws JobFailure;

    /** Ends the agents of a grant and returns when they have gone. No host of it is reported lost from now on. */
    void release(HostGrant grant);

    /** Reports each lost host from now on, from any thread. Called before the first request. */
    void listen(Consumer<HostLost> listener);

    /** What agents whose output is not shown have printed last, a line each. */
    default List<String> lastLines() {
        return List.of();
    }

    @Override
    void close();
}
