package org.posthouse.launch.remote;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import org.posthouse.detector.DetectorProtocol;
import org.posthouse.detector.RoundSchedule;
import org.posthouse.launch.place.DetectorRequest;
import org.posthouse.wire.AgentMessage;
import org.posthouse.wire.DetectorMessage;

/**
 * The launcher's part in the failure detectors of its job (docs/detectors.md): numbers the hosts, and tells them who is in the
 * ring from which round on, and how long the rounds last already. Guarded by the lock of its {@link AgentPool}.
 */
final class HostRing {
    /** How often the hosts are told: for messages that were lost, and clocks that drift. */
    private static final long TELL_NS = TimeUnit.SECONDS.toNanos(10);

    private final DetectorRequest request;
    private final long startNs;
    private final Map<Long, Integer> numbers = new HashMap<>();

    /** By their numbers. */
    private List<AgentMessage.DetectedHost> hosts = new ArrayList<>();

    private boolean isTold;
    private long fromRound;
    private long toldNs;

    HostRing(DetectorRequest request, long startNs) {
        this.request = request;
        this.startNs = startNs;
    }

    /** Whether the job has a failure detector. */
    boolean isOn() {
        return request.protocol() != DetectorProtocol.NONE;
    }

    /** Tells the hosts what has changed, or what is to be repeated. A job on one host has nobody to watch it. */
    void look(long nowNs, Collection<Node> nodes, BiConsumer<Node, AgentMessage> send) {
        if (!isOn()) {
            return;
        }
        List<AgentMessage.DetectedHost> next = next(nodes);
        if (!isTold && next.size() < 2) {
            return;
        }
        boolean isChanged = !next.equals(hosts);
        if (isChanged) {
            int before = (int) hosts.stream().filter(AgentMessage.DetectedHost::isLiving).count();
            int switchRounds = new RoundSchedule(request.protocol(), Math.max(1, before)).switchRounds();
            fromRound = Math.max(fromRound, TimeUnit.NANOSECONDS.toMillis(nowNs - startNs) / request.periodMs() + switchRounds);
            hosts = next;
        }
        if (isChanged || nowNs - toldNs >= TELL_NS) {
            isTold = true;
            toldNs = nowNs;
            long elapsedMs = TimeUnit.NANOSECONDS.toMillis(nowNs - startNs);
            for (Node node : nodes) {
                Integer number = numbers.get(node.agent());
                if (number != null && node.isUsable()) {
                    send.accept(
                            node, new AgentMessage.Detect(request.protocol().word(), request.periodMs(), elapsedMs, fromRound, number, hosts));
                }
            }
        }
    }

    /** Hosts keep their numbers. Those beyond the limit have no detector. */
    private List<AgentMessage.DetectedHost> next(Collection<Node> nodes) {
        List<AgentMessage.DetectedHost> next = new ArrayList<>(hosts);
        next.replaceAll(host -> new AgentMessage.DetectedHost(host.agent(), host.home(), false));
        for (Node node : nodes) {
            Integer known = numbers.get(node.agent());
            if (known != null) {
                next.set(known, new AgentMessage.DetectedHost(node.agent(), node.relay(), !node.isLost()));
            } else if (next.size() < DetectorMessage.HOSTS_MAX && !node.isLost()) {
                numbers.put(node.agent(), next.size());
                next.add(new AgentMessage.DetectedHost(node.agent(), node.relay(), true));
            }
        }
        return next;
    }
}
