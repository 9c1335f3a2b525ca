package org.posthouse.tunnel.forward;

import org.posthouse.status.StreamStatus;

/** The counters and state of one door or port. Confined to the relay's context. */
final class Forward {
    private final String name;
    private int streams;
    private long opened;
    private long refused;
    private String lastReason = "";

    /** Why it does not listen; empty if it does, or need not. */
    private String failure = "";

    Forward(String name) {
        this.name = name;
    }

    String name() {
        return name;
    }

    void opened() {
        opened++;
        streams++;
    }

    void closed() {
        streams--;
    }

    void refused(String why) {
        refused++;
        lastReason = why;
    }

    long refusals() {
        return refused;
    }

    /** @return whether the failure is new */
    boolean failed(String why) {
        boolean isNew = !failure.equals(why);
        failure = why;
        return isNew;
    }

    void listens() {
        failure = "";
    }

    StreamStatus.Forward status(String address, StreamStatus.Forward.State state) {
        return new StreamStatus.Forward(name, address, state, streams, opened, refused, failure.isEmpty() ? lastReason : failure);
    }
}
