package org.posthouse.tunnel;

import io.vertx.core.Future;
import java.util.ArrayList;
import java.util.List;

/** The doors of a relay, and its ports to doors of others. Confined to the relay's context. */
final class Forwards {
    private final ForwardDoors doors;
    private final List<ForwardPort> ports = new ArrayList<>();

    Forwards(String relay, ForwardConfig config, Streams streams, ForwardSockets sockets) {
        doors = new ForwardDoors(relay, sockets, config.doors());
        config.vias().forEach(via -> ports.add(new ForwardPort(via, streams, sockets)));
        streams.lead(doors);
        streams.watch((other, up) -> ports.stream().filter(port -> port.relay().equals(other)).forEach(port -> port.reach(up)));
    }

    /** Fails if a port cannot be had. */
    Future<Void> start() {
        return Future.all(ports.stream().map(ForwardPort::start).toList()).mapEmpty();
    }

    void close() {
        ports.forEach(ForwardPort::close);
    }

    List<ForwardStatus> status() {
        List<ForwardStatus> all = new ArrayList<>(doors.status());
        ports.forEach(port -> all.add(port.status()));
        return all;
    }
}
