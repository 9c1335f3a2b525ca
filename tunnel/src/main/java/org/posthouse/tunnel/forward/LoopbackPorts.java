package org.posthouse.tunnel.forward;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.posthouse.status.StreamStatus;
import org.posthouse.tunnel.stream.Streams;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The local ports that represent a service of each other relay, opened when that relay is linked for the first time.
 * Confined to the relay's context.
 *
 * <p>Two relays with the same address could not be distinguished. The second one gets no port, and its status names the
 * first.
 */
final class LoopbackPorts {
    private static final Logger LOG = LoggerFactory.getLogger(LoopbackPorts.class);

    private final LoopbackConfig config;
    private final Streams streams;
    private final ForwardSockets sockets;
    private final ForwardGate gate;
    private final Map<String, ForwardPort> ports = new TreeMap<>();

    /** The relay of each address. */
    private final Map<String, String> owners = new LinkedHashMap<>();

    /** Relays without a port, because another relay had their address before. */
    private final Map<String, StreamStatus.Forward> refused = new TreeMap<>();

    LoopbackPorts(String own, LoopbackConfig config, Streams streams, ForwardSockets sockets, ForwardGate gate) {
        this.config = config;
        this.streams = streams;
        this.sockets = sockets;
        this.gate = gate;
        owners.put(config.addressOf(own), own);
    }

    void reach(String relay, boolean up) {
        if (up && !ports.containsKey(relay)) {
            meet(relay);
        }
        ForwardPort port = ports.get(relay);
        if (port != null) {
            port.reach(up);
        }
    }

    private void meet(String relay) {
        String address = config.addressOf(relay);
        String owner = owners.putIfAbsent(address, relay);
        if (owner == null) {
            ForwardConfig.Via via = new ForwardConfig.Via(relay, config.door(), config.endpointOf(relay), ForwardConfig.Users.NOT_OTHERS);
            ports.put(relay, new ForwardPort(via, streams, sockets, gate));
        } else if (!refused.containsKey(relay)) {
            String why = "relay " + relay + " has the loopback address " + address + " of relay " + owner
                    + ": give one of them another, with --loopback at every relay";
            LOG.warn("{}", why);
            refused.put(relay, new StreamStatus.Forward(
                    relay + "/" + config.door(), config.endpointOf(relay), StreamStatus.Forward.State.REFUSING, 0, 0, 1, why));
        }
    }

    /** Removes {@code relay}, which has left. Its address is free for other relays that were refused it. */
    void forget(String relay) {
        refused.remove(relay);
        ForwardPort port = ports.remove(relay);
        if (port != null) {
            port.close();
            String address = config.addressOf(relay);
            owners.remove(address);
            List<String> others = refused.keySet().stream().filter(other -> config.addressOf(other).equals(address)).toList();
            others.forEach(refused::remove);
            others.forEach(other -> reach(other, streams.isUp(other)));
        }
    }

    void close() {
        ports.values().forEach(ForwardPort::close);
    }

    List<StreamStatus.Forward> status() {
        List<StreamStatus.Forward> all = new ArrayList<>();
        ports.values().forEach(port -> all.add(port.status()));
        all.addAll(refused.values());
        return all;
    }
}
