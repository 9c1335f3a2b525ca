package org.posthouse.tunnel;

import io.vertx.core.Future;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.posthouse.peer.PeerUsers;
import org.posthouse.status.StreamStatus;

/** The doors of a relay, and its ports to doors of others. Confined to the relay's context. */
final class Forwards implements LinkStreams.Doors {
    private final ForwardTargets doors;
    private final List<ForwardPort> ports = new ArrayList<>();
    private final Optional<LoopbackPorts> loopback;

    Forwards(String relay, ForwardConfig config, Streams streams, ForwardSockets sockets, PeerUsers users) {
        ForwardGate gate = new ForwardGate(sockets, users);
        doors = new ForwardTargets(relay, sockets, config.doors());
        config.vias().forEach(via -> ports.add(new ForwardPort(via, streams, sockets, gate)));
        loopback = config.loopback().map(service -> new LoopbackPorts(relay, service, streams, sockets, gate));
        streams.watch((other, up) -> ports.stream().filter(port -> port.relay().equals(other)).forEach(port -> port.reach(up)));
        loopback.ifPresent(others -> streams.watch(others::reach));
    }

    @Override
    public void onAsked(LinkStream stream, String door) {
        doors.onAsked(stream, door);
    }

    /** Starts the ports; fails if one cannot be opened. */
    Future<Void> start() {
        return Future.all(ports.stream().map(ForwardPort::start).toList()).mapEmpty();
    }

    void close() {
        ports.forEach(ForwardPort::close);
        loopback.ifPresent(LoopbackPorts::close);
    }

    /** Removes the ports for {@code relay}, whose link was dropped. */
    void forget(String relay) {
        loopback.ifPresent(others -> others.forget(relay));
    }

    List<StreamStatus.Forward> status() {
        List<StreamStatus.Forward> all = new ArrayList<>(doors.status());
        ports.forEach(port -> all.add(port.status()));
        loopback.ifPresent(others -> all.addAll(others.status()));
        return all;
    }
}
