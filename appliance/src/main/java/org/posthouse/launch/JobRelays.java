package org.posthouse.launch;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.posthouse.wire.JobOpen;
import org.posthouse.wire.Notice;
import org.posthouse.wire.Token;

/**
 * A job's connections to its relays, by their index among the job's homes. Called by the job's thread, and by those that
 * dial a lost relay again; guarded by itself.
 */
final class JobRelays implements AutoCloseable {
    private final List<RelayLine> lines;
    private final Token token;
    private final Consumer<Signal> signals;
    private final List<Redial> redials = new ArrayList<>();
    private JobOpen job;
    /** What the relays were told of the job's end; null before. */
    private Notice end;

    private boolean closed;

    /**
     * @param lines connected, and closed by this
     * @param token what the relays let a launcher in for
     * @param signals hears of events, and of relays that are lost and found
     */
    JobRelays(List<RelayLine> lines, Token token, Consumer<Signal> signals) {
        this.lines = new ArrayList<>(lines);
        this.token = token;
        this.signals = signals;
    }

    /** Where a relay listens for ranks. */
    synchronized String address(int relay) {
        return lines.get(relay).home().address();
    }

    /** Opens the job at every relay. @throws JobFailure naming the first that does not */
    synchronized void open(JobOpen opening) throws JobFailure {
        job = opening;
        for (int relay = 0; relay < lines.size(); relay++) {
            open(lines.get(relay), relay, opening, CompletableFuture.completedFuture(null));
        }
    }

    /** @param announced once everybody knows that the relay is there, and so may learn that it is lost again */
    private void open(RelayLine line, int relay, JobOpen opening, CompletableFuture<Void> announced) throws JobFailure {
        line.listen(
                event -> signals.accept(new Signal.Event(event, System.nanoTime())),
                why -> announced.thenRun(() -> signals.accept(new Signal.RelayLost(relay, why, line.isRefused()))));
        line.open(opening);
    }

    /** Dials a lost relay again, on a thread of its own, which tells how it went. */
    synchronized void redial(int relay, long timeoutMs) {
        if (!closed) {
            Redial redial = new Redial(relay, lines.get(relay).home().address(), timeoutMs, this, signals);
            redials.add(redial);
            Thread.ofVirtual().name("posthouse-redial-" + relay).start(redial);
        }
    }

    /** Connects to a lost relay, opens the job there again and tells so. @return why it cannot; null if it has */
    Redial.Refusal reopen(int relay, String address) {
        try {
            RelayLine line = RelayLine.connect(address, token);
            CompletableFuture<Void> announced = new CompletableFuture<>();
            try {
                open(line, relay, again(), announced);
            } catch (JobFailure e) {
                line.close();
                return new Redial.Refusal(e.getMessage(), line.isRefused(), line.isJobUnknown());
            }
            replace(relay, line);
            signals.accept(new Signal.RelayBack(relay, line.home().relay()));
            announced.complete(null);
            return null;
        } catch (JobFailure e) {
            return new Redial.Refusal(e.getMessage(), false, false);
        }
    }

    private synchronized JobOpen again() {
        return new JobOpen(job.job(), job.token(), job.durability(), true, job.name(), job.homes(), job.homeOf());
    }

    private synchronized void replace(int relay, RelayLine line) {
        if (end != null) {
            line.closeJob(end);
        }
        if (closed) {
            line.close();
        } else {
            lines.get(relay).close();
            lines.set(relay, line);
        }
    }

    /** Asks every relay to end the job. */
    synchronized void closeJob(Notice why) {
        end = why;
        lines.forEach(line -> line.closeJob(why));
    }

    /** Waits until every relay that can be reached has told of everything and closed the job, each for so long at most. */
    void awaitClosed(long timeoutMs) throws InterruptedException {
        List<RelayLine> present;
        synchronized (this) {
            present = List.copyOf(lines);
        }
        for (RelayLine line : present) {
            line.awaitClosed(timeoutMs);
        }
    }

    @Override
    public synchronized void close() {
        closed = true;
        redials.forEach(Redial::stop);
        lines.forEach(RelayLine::close);
    }
}
