package org.posthouse.bench.detectors;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.posthouse.detector.DetectorProtocol;
import org.posthouse.detector.DetectorSettings;
import org.posthouse.detector.RoundSchedule;

/** The trials of one protocol with one number of hosts. Filled by the bench, then read. */
final class DetectionFigure {
    private static final double NANOS = 1e9;

    private final DetectorProtocol protocol;
    private final int hosts;
    private final long periodNanos;
    private final NetworkConditions conditions;
    private final List<Double> detectionSeconds = new ArrayList<>();
    private final List<Double> noticeSeconds = new ArrayList<>();
    private long falseSuspicions;
    private long falseVerdicts;
    private long missed;
    private double hostSeconds;
    private double messages;
    private double bytes;

    DetectionFigure(DetectorProtocol protocol, int hosts, long periodNanos, NetworkConditions conditions) {
        this.protocol = protocol;
        this.hosts = hosts;
        this.periodNanos = periodNanos;
        this.conditions = conditions;
    }

    /** Runs one trial: a host is killed at {@code killNanos}. */
    void run(long killNanos, long seed) {
        DetectorWorld world = new DetectorWorld(protocol, hosts, periodNanos, conditions, seed);
        long killed = killNanos + world.random().nextLong(periodNanos);
        world.runTo(killed);
        hostSeconds += hosts * (killed / NANOS);
        messages += world.messages();
        bytes += world.bytes();
        world.kill(world.random().nextInt(hosts));
        long limit = killed + 3 * (long) ((predictedSeconds() + checkSeconds()) * NANOS) + 20 * periodNanos * (protocol == DetectorProtocol.SWIM ? 5 : 1);
        while (world.verdictNanos() < killed && world.now() < limit) {
            world.runTo(world.now() + periodNanos);
        }
        world.runTo(world.now() + 2 * periodNanos + 2 * conditions.delayNanosMax());
        falseSuspicions += world.falseSuspicions();
        falseVerdicts += world.falseVerdicts();
        add(world, killed);
    }

    private void add(DetectorWorld world, long killed) {
        if (world.verdictNanos() < killed) {
            missed++;
            return;
        }
        detectionSeconds.add((world.verdictNanos() - killed) / NANOS);
        double sum = 0;
        int count = 0;
        for (long noticed : world.noticedNanos()) {
            if (noticed >= killed) {
                sum += (noticed - killed) / NANOS;
                count++;
            }
        }
        noticeSeconds.add(sum / count);
    }

    DetectorProtocol protocol() {
        return protocol;
    }

    int hosts() {
        return hosts;
    }

    /**
     * Seconds from a host's last beat to its first suspicion: the cleanup time, or for SWIM the mean time to the first
     * probe and the time to refute if enough others confirm.
     */
    double predictedSeconds() {
        if (protocol == DetectorProtocol.SWIM) {
            double firstProbe = Math.E / (Math.E - 1);
            return (firstProbe + 4 * Math.max(1, Math.log10(hosts))) * periodNanos / NANOS;
        }
        return new RoundSchedule(protocol, hosts).cleanupNanos(periodNanos, conditions.delayNanosMax(), true) / NANOS;
    }

    /** Seconds that the checks of a dead host take: pings, others' pings, and those of its relay. */
    double checkSeconds() {
        double stage = Math.max(DetectorSettings.checkNanos(periodNanos), 4 * conditions.delayNanosMax()) / NANOS;
        int stages = protocol == DetectorProtocol.SWIM ? 0 : hosts > 2 ? 2 : 1;
        return stages * stage + DetectorSettings.verdictNanos(periodNanos) / NANOS;
    }

    /** The longest time that is expected, in seconds; that of SWIM has no bound. */
    double boundSeconds() {
        double ways = 4 * conditions.delayNanosMax() / NANOS + 0.1; // The relay looks each 100 ms.
        return predictedSeconds() + checkSeconds() + periodNanos / NANOS + ways;
    }

    /** Share of the trials whose time is between the prediction and the bound. */
    double withinShare() {
        long within = detectionSeconds.stream().filter(each -> each >= predictedSeconds() && each <= boundSeconds()).count();
        return detectionSeconds.isEmpty() ? 0 : (double) within / (detectionSeconds.size() + missed);
    }

    /** Seconds from the kill to the verdict: the value below which a share of the trials is. */
    double detectionSeconds(double share) {
        if (detectionSeconds.isEmpty()) {
            return Double.NaN;
        }
        List<Double> sorted = new ArrayList<>(detectionSeconds);
        Collections.sort(sorted);
        return sorted.get(Math.max(0, (int) Math.ceil(share * sorted.size()) - 1));
    }

    List<Double> detectionSeconds() {
        return List.copyOf(detectionSeconds);
    }

    /** Seconds from the kill until a host was told, mean over hosts and trials. */
    double noticeSeconds() {
        return noticeSeconds.stream().mapToDouble(Double::doubleValue).average().orElse(Double.NaN);
    }

    long falseSuspicions() {
        return falseSuspicions;
    }

    long falseVerdicts() {
        return falseVerdicts;
    }

    /** Trials in which nobody found the dead host. */
    long missed() {
        return missed;
    }

    /** Messages that a host sends in a second, while all live. */
    double messagesPerSecond() {
        return messages / hostSeconds;
    }

    double bytesPerSecond() {
        return bytes / hostSeconds;
    }
}
