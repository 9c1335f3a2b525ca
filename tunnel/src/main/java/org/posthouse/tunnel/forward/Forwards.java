package org.posthouse.tunnel.forward;

import io.vertx.core.Future;
import io.vertx.core.internal.ContextInternal;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.posthouse.peer.PeerUsers;
import org.posthouse.status.StreamStatus;
import org.posthouse.tunnel.stream.LinkStream;
import org.posthouse.tunnel.stream.StreamAcceptor;
import org.posthouse.tunnel.stream.Streams;

/** The doors of a relay, and its ports to doors of others. Confined to the relay's context. */
public final class Forwards implements StreamAcceptor {
    private final ForwardTargets doors;
    private final List<ForwardPort> ports = new ArrayList<>();
    private final Optional<LoopbackPorts> loopback;

    /** @param context the relay's own context, an event-loop context */
    public Forwards(ContextInternal context, String relay, ForwardConfig config, Streams streams, PeerUsers users) {
        ForwardSockets sockets = new ForwardSockets(context);
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
    public Future<Void> start() {
        return Future.all(ports.stream().map(ForwardPort::start).toList()).mapEmpty();
    }

    public void close() {
        ports.forEach(ForwardPort::close);
        loopback.ifPresent(LoopbackPorts::close);
    }

    /** Removes the ports for {@code relay}, whose link was dropped. */
    public void forget(String relay) {
        loopback.ifPresent(others -> others.forget(relay));
    }

    public List<StreamStatus.Forward> status() {
        List<StreamStatus.Forward> all = new ArrayList<>(doors.status());
        ports.forEach(port -> all.add(port.status()));
        loopback.ifPresent(others -> all.addAll(others.status()));
        return all;
    }
}
