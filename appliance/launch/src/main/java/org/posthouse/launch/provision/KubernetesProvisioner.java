package org.posthouse.launch.provision;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.posthouse.launch.job.JobFailure;

/**
 * Brings agents to the nodes of a Kubernetes cluster, as the Pods of one Indexed Job. It has one grant, of all Pods.
 * Guarded by itself; events come from a thread of its own, without a lock.
 *
 * <p>The Job ends by itself unless this process moves its deadline on. Kubernetes replaces a Pod that has failed.
 */
public final class KubernetesProvisioner implements Provisioner {
    /** How long the Job runs without its launcher, if its manifest does not say. */
    static final int DEADLINE_SECONDS = 600;

    private static final long EXTEND_SECONDS_MAX = 60;
    private static final int EXTENSIONS_BEFORE_DEADLINE = 5;
    private static final long LOOK_FIRST_MS = 500;
    private static final long LOOK_LAST_MS = 5_000;
    private static final long QUIET_NS = TimeUnit.SECONDS.toNanos(2);
    private static final long GRACE_SECONDS = 45;
    private static final int DELETES_MAX = 3;

    /** Questions in a row to which Kubernetes does not answer, before the request is given up. */
    private static final int FAULTS_MAX = 5;

    private final Kubectl kubectl;
    private final AgentsManifest manifest;
    private final ObjectNode description;
    private final int count;
    private final int deadlineSeconds;
    private final Consumer<String> show;
    private final List<Consumer<HostLost>> listeners = new CopyOnWriteArrayList<>();

    /** Null before the request, and when it was released. Guarded by this. */
    private KubernetesJob job;

    private KubernetesProvisioner(
            Kubectl kubectl, AgentsManifest manifest, ObjectNode description, int deadlineSeconds, Consumer<String> show) {
        this.kubectl = kubectl;
        this.manifest = manifest;
        this.description = description;
        this.count = description.path("spec").path("completions").asInt(1);
        this.deadlineSeconds = deadlineSeconds;
        this.show = show;
    }

    /**
     * One for a Job of a manifest. Nothing is started yet.
     *
     * @param kubectl the command, perhaps with options
     * @param file the manifest of an Indexed Job
     * @param pods how many; 0 for as many as the manifest says
     * @param name of the Job, which no other has
     * @param relay the agents' relay, if the manifest names none
     * @param words arguments for the agents behind those of the manifest
     * @param show takes lines about Pods
     * @throws JobFailure in one line, if the manifest cannot be used
     */
    public static KubernetesProvisioner of(
            String kubectl, Path file, int pods, String name, String relay, List<String> words, Consumer<String> show) throws JobFailure {
        Kubectl command = Kubectl.of(kubectl);
        AgentsManifest manifest = AgentsManifest.read(command, file);
        OptionalInt deadline = manifest.deadlineSeconds();
        ObjectNode description = manifest.job(name, pods, relay, words);
        int seconds = deadline.orElse(DEADLINE_SECONDS);
        ((ObjectNode) description.get("spec")).put("activeDeadlineSeconds", seconds);
        return new KubernetesProvisioner(command, manifest, description, seconds, show);
    }

    @Override
    public void listen(Consumer<HostLost> listener) {
        listeners.add(listener);
    }

    /** Waits until all Pods run, and says why they do not. */
    @Override
    public HostGrant request(HostRequest request) throws JobFailure {
        KubernetesJob made;
        synchronized (this) {
            if (job != null || !request.equals(HostRequest.ALL)) {
                throw new JobFailure("the Pods of a Job are granted once and together");
            }
            job = KubernetesJob.create(kubectl, manifest.namespace(), description);
            made = job;
        }
        try {
            Extension extension = new Extension(made);
            List<HostSlots> hosts = awaitPods(made, extension);
            Thread.ofVirtual().name("posthouse-pods").start(() -> watch(made, extension, hosts));
            return new HostGrant(1, hosts);
        } catch (JobFailure e) {
            close();
            throw e;
        }
    }

    private List<HostSlots> awaitPods(KubernetesJob made, Extension extension) throws JobFailure {
        long sinceNs = System.nanoTime();
        String shown = "";
        int faults = 0;
        for (long lookMs = LOOK_FIRST_MS;; lookMs = Math.min(2 * lookMs, LOOK_LAST_MS)) {
            sleep(Math.min(lookMs, extension.everyMs()));
            List<PodState> pods;
            Optional<String> end;
            try {
                pods = made.pods();
                end = made.end();
                extension.tick();
                faults = 0;
            } catch (JobFailure e) {
                if (++faults == FAULTS_MAX || Thread.currentThread().isInterrupted()) {
                    throw e;
                }
                continue;
            }
            List<PodState> running = pods.stream().filter(PodState::runs).toList();
            if (running.size() >= count) {
                return running.stream().map(pod -> new HostSlots(pod.name(), OptionalInt.empty(), OptionalInt.empty(), Optional.empty())).toList();
            }
            Optional<PodState> failed = pods.stream().filter(pod -> pod.hasFailed() && !pod.isDisrupted()).findFirst();
            if (failed.isPresent()) {
                throw new JobFailure(failed(made, failed.get()));
            }
            if (end.isPresent()) {
                throw new JobFailure(made + " has ended before all its agents ran: " + end.get());
            }
            String now = pending(pods, running.size());
            if (!now.equals(shown) && System.nanoTime() - sinceNs > QUIET_NS) {
                show.accept(made + ": " + now);
                shown = now;
            }
        }
    }

    /** Which Pods do not run, by their reasons. */
    private String pending(List<PodState> pods, int running) {
        Map<String, Integer> reasons = new TreeMap<>();
        pods.stream().filter(pod -> !pod.runs()).forEach(pod -> reasons.merge(pod.why().isEmpty() ? pod.phase() : pod.why(), 1, Integer::sum));
        StringBuilder text = new StringBuilder(running + " of " + count + " Pods run");
        reasons.forEach((reason, number) -> text.append("; ").append(number).append(number == 1 ? " waits: " : " wait: ").append(reason));
        return text + (pods.isEmpty() ? "; none was made, and kubectl describe job says why" : "");
    }

    private static String failed(KubernetesJob made, PodState pod) {
        String last = made.lastLine(pod.name());
        return "Pod " + pod.name() + (pod.node().isEmpty() ? "" : " on node " + pod.node()) + " has no agent: it "
                + (pod.why().isEmpty() ? "has failed" : pod.why()) + (last.isEmpty() ? "" : ": " + last);
    }

    private static void sleep(long ms) throws JobFailure {
        try {
            TimeUnit.MILLISECONDS.sleep(ms);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new JobFailure("interrupted while Pods were waited for", e);
        }
    }

    /** Tells of Pods that fail, and of the end of the Job, until it is released. */
    private void watch(KubernetesJob made, Extension extension, List<HostSlots> hosts) {
        Set<String> told = new HashSet<>();
        String fault = "";
        while (true) {
            try {
                sleep(Math.min(LOOK_LAST_MS, extension.everyMs()));
                if (isReleased(made)) {
                    return;
                }
                extension.tick();
                for (PodState pod : made.pods()) {
                    if (pod.hasFailed() && told.add(pod.name())) {
                        tellFailed(made, pod);
                    }
                }
                Optional<String> end = made.end();
                if (end.isPresent()) {
                    String text = made + " has no agents any more: " + end.get();
                    hosts.forEach(host -> tell(made, new HostLost(1, host.host(), 1, end.get(), text, false)));
                    return;
                }
                fault = "";
            } catch (JobFailure e) {
                if (isReleased(made)) {
                    return;
                }
                if (!e.getMessage().equals(fault)) {
                    fault = e.getMessage();
                    show.accept(made + " cannot be watched: " + fault + "; it ends in " + deadlineSeconds + " s unless Kubernetes answers before");
                }
            }
        }
    }

    /** One that Kubernetes itself has ended says nothing about the agents. */
    private void tellFailed(KubernetesJob made, PodState pod) {
        if (pod.isDisrupted()) {
            show.accept(failed(made, pod) + LaunchedAgents.REPLACED);
        } else {
            tell(made, new HostLost(1, pod.name(), 1, pod.why(), failed(made, pod), true));
        }
    }

    private void tell(KubernetesJob made, HostLost lost) {
        if (!isReleased(made)) {
            listeners.forEach(listener -> listener.accept(lost));
        }
    }

    private synchronized boolean isReleased(KubernetesJob made) {
        return job != made;
    }

    /** Moves the deadline on, when it is time. Confined to one thread after another. */
    private final class Extension {
        private final KubernetesJob of;
        private final long everyMs;
        private long lastNs = System.nanoTime();

        Extension(KubernetesJob of) {
            this.of = of;
            this.everyMs = TimeUnit.SECONDS.toMillis(Math.min(EXTEND_SECONDS_MAX * EXTENSIONS_BEFORE_DEADLINE, deadlineSeconds)) / EXTENSIONS_BEFORE_DEADLINE;
        }

        long everyMs() {
            return everyMs;
        }

        void tick() throws JobFailure {
            long nowNs = System.nanoTime();
            if (nowNs - lastNs >= TimeUnit.MILLISECONDS.toNanos(everyMs)) {
                of.extend(deadlineSeconds);
                lastNs = nowNs;
            }
        }
    }

    @Override
    public List<String> lastLines() {
        KubernetesJob of;
        synchronized (this) {
            of = job;
        }
        List<String> lines = new ArrayList<>();
        try {
            for (PodState pod : of == null ? List.<PodState>of() : of.pods()) {
                String last = of.lastLine(pod.name());
                if (!last.isEmpty()) {
                    lines.add("[" + pod.name() + "] " + last);
                }
            }
        } catch (JobFailure e) {
            lines.add(of + " does not tell of its Pods: " + e.getMessage());
        }
        return lines;
    }

    @Override
    public void release(HostGrant grant) {
        KubernetesJob ending;
        synchronized (this) {
            ending = job;
            job = null;
        }
        if (ending == null) {
            return;
        }
        boolean wasInterrupted = Thread.interrupted();
        try {
            delete(ending);
            awaitEnd(ending);
        } catch (JobFailure e) {
            show.accept(ending + " cannot be deleted: " + e.getMessage() + "; it ends by itself within " + deadlineSeconds + " s, or with "
                    + ending.deletion());
        }
        if (wasInterrupted) {
            Thread.currentThread().interrupt();
        }
    }

    private static void delete(KubernetesJob ending) throws JobFailure {
        for (int tries = 1;; tries++) {
            try {
                ending.delete();
                return;
            } catch (JobFailure e) {
                if (tries == DELETES_MAX || Thread.currentThread().isInterrupted()) {
                    throw e;
                }
                if (ending.end().filter("it was deleted"::equals).isPresent()) {
                    return;
                }
            }
        }
    }

    private void awaitEnd(KubernetesJob ending) throws JobFailure {
        long endNs = System.nanoTime() + TimeUnit.SECONDS.toNanos(GRACE_SECONDS);
        for (List<PodState> left = ending.pods(); !left.isEmpty(); left = ending.pods()) {
            if (System.nanoTime() - endNs > 0) {
                show.accept(ending + " was deleted, and has " + left.size() + " Pods after " + GRACE_SECONDS + " s: "
                        + String.join(", ", left.stream().map(PodState::name).toList()));
                return;
            }
            sleep(LOOK_FIRST_MS);
        }
    }

    /** Deletes the Job, and with it the agents. */
    @Override
    public void close() {
        release(new HostGrant(1, List.of()));
    }
}
