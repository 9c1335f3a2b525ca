package org.posthouse.detector;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.posthouse.wire.DetectorMessage;

/** Answers pings, and pings for others. Confined to its detector. */
final class PingAnswers {
    /** Most pings for others whose answers are waited for; the oldest is dropped. An asker has three helpers. */
    private static final int FORWARDED_MAX = 1_024;

    private final int self;
    private final DetectorPort port;
    private final Supplier<List<DetectorMessage.Update>> updates;
    private final Map<Long, Asker> askers = new LinkedHashMap<>();

    /** Numbers of pings for others are below 0, so that they differ from a detector's own. */
    private long lastNumber;

    private record Asker(int host, long number, int target) {}

    /** @param updates supplies what a message carries besides */
    PingAnswers(int self, DetectorPort port, Supplier<List<DetectorMessage.Update>> updates) {
        this.self = self;
        this.port = port;
        this.updates = updates;
    }

    void onPing(int from, DetectorMessage.Ping ping) {
        port.send(from, new DetectorMessage.Ack(ping.number(), self, updates.get()));
    }

    void onRequest(int from, DetectorMessage.PingRequest request) {
        askers.put(--lastNumber, new Asker(from, request.number(), request.host()));
        if (askers.size() > FORWARDED_MAX) {
            askers.remove(askers.keySet().iterator().next());
        }
        port.send(request.host(), new DetectorMessage.Ping(lastNumber, updates.get()));
    }

    /** Passes an answer on if it was asked for by another host. */
    void onAck(DetectorMessage.Ack ack) {
        Asker asker = askers.remove(ack.number());
        if (asker != null && asker.target == ack.host()) {
            port.send(asker.host, new DetectorMessage.Ack(asker.number, ack.host(), updates.get()));
        }
    }
}
