package org.posthouse.core;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.BooleanSupplier;
import org.posthouse.wire.Wire;

/** Reads histories from a {@link SimJournal}: late, in portions, and now and then from too early on. */
final class SimHistorySource implements HistorySource {
    private final SimClock clock;
    private final Random random;
    private final SimJournal journal;
    private final BooleanSupplier alive;
    private final Map<HomedRank, Reader> readers = new HashMap<>();
    private RelayCore core;

    /** One reading: where it is, and the messages that it has shown. */
    private static final class Reader {
        private final Map<SimJournal.Stored, Message> shown = new HashMap<>();
        private int next;
        private long pollsBefore;
    }

    /** @param alive whether the core that asks is still there */
    SimHistorySource(SimClock clock, Random random, SimJournal journal, BooleanSupplier alive) {
        this.clock = clock;
        this.random = random;
        this.journal = journal;
        this.alive = alive;
    }

    void of(RelayCore asking) {
        core = asking;
    }

    @Override
    public void reached(HomedRank rank, int replay, long position) {}

    @Override
    public void begin(HomedRank rank, int replay, long deliveries, long events, boolean originKnown, boolean follows, long upTo) {
        Reader reader = new Reader();
        int last = latest(journal.history(rank.rank()), deliveries, events);
        int from = random.nextBoolean() ? last : random.nextInt(last + 1);
        journal.history(rank.rank()).subList(0, from).forEach(before -> {
            if (before instanceof SimJournal.Polls polls) {
                reader.pollsBefore = polls.failed();
            }
        });
        reader.next = from;
        readers.put(rank, reader);
        more(rank, replay, upTo);
    }

    /** The last place behind which the first wanted delivery and the first wanted event stand. */
    private static int latest(List<Record> history, long deliveries, long events) {
        for (int i = 0; i < history.size(); i++) {
            if (history.get(i) instanceof SimJournal.Delivery delivery && delivery.number() > deliveries
                    || history.get(i) instanceof SimJournal.Events told && told.first() + told.count() - 1 > events) {
                return i;
            }
        }
        return history.size();
    }

    @Override
    public void more(HomedRank rank, int replay, long upTo) {
        Reader reader = readers.get(rank);
        clock.after(random.nextInt(20), () -> {
            if (alive.getAsBoolean()) {
                core.storage().historyRead(rank, replay, read(reader, rank.rank()));
            }
        });
    }

    private List<HistoryStep> read(Reader reader, int rank) {
        List<HistoryStep> steps = new ArrayList<>();
        if (reader.pollsBefore > 0) {
            steps.add(new HistoryStep.Polls(reader.pollsBefore));
            reader.pollsBefore = 0;
        }
        List<Record> history = journal.history(rank);
        for (int left = 1 + random.nextInt(30); left > 0; left--) {
            if (reader.next == history.size()) {
                steps.add(new HistoryStep.End(journal.position()));
                break;
            }
            step(reader, history.get(reader.next++), steps);
        }
        return steps;
    }

    private static void step(Reader reader, Record entry, List<HistoryStep> steps) {
        switch (entry) {
            case SimJournal.Delivery delivery -> {
                SimJournal.Stored stored = delivery.message();
                Message message = stored.fill(Message.of(stored.logged), delivery.pieces());
                reader.shown.put(stored, message);
                steps.add(new HistoryStep.Delivered(
                        delivery.number(), delivery.ordinal(), message, delivery.arrived()));
            }
            case SimJournal.Piece piece when reader.shown.containsKey(piece.message()) -> steps.add(new HistoryStep.Piece(
                    reader.shown.get(piece.message()), piece.offset(), piece.bytes(), piece.place()));
            case SimJournal.Events events -> steps.add(
                    new HistoryStep.Events(events.first(), events.count(), ByteBuffer.allocate(events.count() * Wire.EVENT_BYTES)));
            case SimJournal.Polls polls -> steps.add(new HistoryStep.Polls(polls.failed()));
            default -> {}
        }
    }

    @Override
    public void end(HomedRank rank, int replay) {
        readers.remove(rank);
    }

    @Override
    public void resent(long job, int source, ResendClaim resendClaim) {
        throw new AssertionError("no process is started again: " + resendClaim);
    }

    @Override
    public void forget(long job) {}
}
