package org.posthouse.logstore;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.posthouse.logstore.record.Checkpoint;
import org.posthouse.logstore.record.LogRecord;
import org.posthouse.logstore.record.LogRecord.Arrival;
import org.posthouse.logstore.record.LogRecord.CheckpointTaken;
import org.posthouse.logstore.record.LogRecord.Chunk;
import org.posthouse.logstore.record.LogRecord.Delivery;
import org.posthouse.logstore.record.LogRecord.Diverged;
import org.posthouse.logstore.record.LogRecord.Events;
import org.posthouse.logstore.record.LogRecord.Finalized;
import org.posthouse.logstore.record.LogRecord.Form;
import org.posthouse.logstore.record.LogRecord.Incarnation;
import org.posthouse.logstore.record.LogRecord.JobClosed;
import org.posthouse.logstore.record.LogRecord.JobOpened;
import org.posthouse.logstore.record.LogRecord.Polls;
import org.posthouse.logstore.record.LogRecord.Receipt;
import org.posthouse.logstore.record.LogRecord.Withdrawn;

/**
 * Random records as a relay would write them, from one seed, with a model of its own of what they say: what was written,
 * and which messages are under way. It goes on over reopened logs.
 */
final class Traffic {
    static final int RANKS = 4;

    private final Random random;
    private final Map<Long, List<Rank>> jobs = new TreeMap<>();
    /** All records of jobs, in the order in which they were written. */
    final List<Written> written = new ArrayList<>();
    private long jobsOpened;

    /** A record that was appended. {@code message} is what it is about, as it was then: text of {@link #text}. */
    record Written(long position, long place, LogRecord record, byte[] payload, String message) {}

    /** A rank as the model has it. */
    static final class Rank {
        final Map<Long, Long> sequences = new HashMap<>();
        final List<StoredMessage> underWay = new ArrayList<>();
        int incarnation;
        long deliveries;
        long events;
        long polls;
        long ordinals;
    }

    Traffic(long seed) {
        this.random = new Random(seed);
    }

    Map<Long, List<Rank>> jobs() {
        return jobs;
    }

    void write(MessageLog log, int records) {
        for (int i = 0; i < records; i++) {
            step(log);
        }
    }

    private void step(MessageLog log) {
        int what = random.nextInt(100);
        if (jobs.isEmpty() || what == 0 && jobs.size() < 3) {
            open(log);
            return;
        }
        List<Long> ids = List.copyOf(jobs.keySet());
        long job = ids.get(random.nextInt(ids.size()));
        if (what == 1 && jobs.size() > 1) {
            JobClosed closed = new JobClosed(job, random.nextInt());
            note(log, log.append(closed), closed, new byte[0], null);
            jobs.remove(job);
            return;
        }
        int number = random.nextInt(RANKS);
        Rank rank = jobs.get(job).get(number);
        if (what < 40) {
            arrival(log, job, number, rank);
        } else if (what < 65) {
            chunk(log, job, number, rank);
        } else if (what < 85) {
            delivery(log, job, number, rank);
        } else {
            other(log, job, number, rank, what);
        }
    }

    private void open(MessageLog log) {
        long job = 1_000 + ++jobsOpened * 0x1_0000_0001L;
        List<Rank> ranks = new ArrayList<>();
        for (int i = 0; i < RANKS; i++) {
            ranks.add(new Rank());
        }
        jobs.put(job, ranks);
        JobOpened opened = new JobOpened(job, RANKS, 1 + random.nextInt(2));
        byte[] opening = Samples.bytes(job, random.nextInt(300));
        note(log, log.appendJobOpened(opened, ByteBuffer.wrap(opening)), opened, opening, null);
    }

    private void arrival(MessageLog log, long job, int number, Rank rank) {
        int context = random.nextInt(3);
        int source = random.nextInt(RANKS);
        long sequence = rank.sequences.merge(ChannelTable.channel(context, source), 1L, Long::sum);
        Form form = Form.values()[random.nextInt(3)];
        int length = form == Form.SEND ? random.nextInt(200) : random.nextInt(1, 2_000);
        int inline = form == Form.SEND ? length : form == Form.EAGER ? random.nextInt(length) : 0;
        boolean storable = form == Form.OFFER && random.nextBoolean();
        Receipt receipt = random.nextInt(3) == 0 ? receipt(rank) : null;
        Arrival arrival = new Arrival(job, number, context, source, random.nextInt(), sequence, random.nextInt(256),
                random.nextInt(), length, form, storable, receipt);
        byte[] payload = Samples.bytes(sequence, inline);
        long position = log.appendArrival(arrival, ByteBuffer.wrap(payload));
        StoredMessage message = new StoredMessage(arrival, position, log.place(), inline);
        if (receipt == null || inline < length) {
            rank.underWay.add(message);
        }
        note(log, position, arrival, payload, text(message));
    }

    private Receipt receipt(Rank rank) {
        return new Receipt(rank.incarnation, ++rank.deliveries, ++rank.ordinals);
    }

    private void chunk(MessageLog log, long job, int number, Rank rank) {
        List<StoredMessage> open = rank.underWay.stream().filter(m -> !m.isWhole()).toList();
        if (open.isEmpty()) {
            return;
        }
        StoredMessage message = open.get(random.nextInt(open.size()));
        long offset = message.arrived();
        int missing = (int) (message.arrival().length() - offset);
        byte[] payload = Samples.bytes(offset, random.nextBoolean() ? missing : random.nextInt(1, missing + 1));
        long previous = message.pieces() == 0 ? message.place() : message.piecePlace(message.pieces() - 1);
        long position = log.appendChunk(job, number, message.position(), offset, ByteBuffer.wrap(payload));
        message.add(log.place(), payload.length);
        forgetIfDone(rank, message);
        note(log, position, new Chunk(job, number, message.position(), offset, previous), payload, null);
    }

    private void delivery(MessageLog log, long job, int number, Rank rank) {
        List<StoredMessage> waiting = rank.underWay.stream().filter(m -> m.receipt() == null).toList();
        if (waiting.isEmpty()) {
            return;
        }
        StoredMessage message = waiting.get(random.nextInt(waiting.size()));
        Arrival a = message.arrival();
        Receipt receipt = receipt(rank);
        message.delivered(receipt);
        long last = message.pieces() == 0 ? message.place() : message.piecePlace(message.pieces() - 1);
        Delivery delivery = new Delivery(job, number, receipt, a.context(), a.source(), a.sequence(), message.position(),
                message.place());
        long position = log.appendDelivery(delivery);
        forgetIfDone(rank, message);
        note(log, position, new Delivery(job, number, receipt, a.context(), a.source(), a.sequence(), message.position(),
                message.place(), last), new byte[0], text(message));
    }

    private static void forgetIfDone(Rank rank, StoredMessage message) {
        if (message.isWhole() && message.receipt() != null) {
            rank.underWay.remove(message);
        }
    }

    private void other(MessageLog log, long job, int number, Rank rank, int what) {
        byte[] nothing = new byte[0];
        if (what < 88) {
            Polls polls = new Polls(job, number, rank.incarnation, rank.polls += random.nextInt(1, 1 << 30));
            note(log, log.append(polls), polls, nothing, null);
        } else if (what < 92) {
            Events events = new Events(job, number, rank.incarnation, random.nextInt(1, 9), rank.events + 1,
                    random.nextInt(9) == 0);
            rank.events += events.count();
            byte[] items = Samples.bytes(rank.events, events.count() * Events.ITEM_BYTES);
            note(log, log.appendEvents(events, ByteBuffer.wrap(items)), events, items, null);
        } else if (what < 94) {
            Incarnation incarnation = new Incarnation(job, number, ++rank.incarnation, 1, 0);
            note(log, log.append(incarnation), incarnation, nothing, null);
        } else if (what < 96) {
            withdraw(log, job, number, rank);
        } else if (what < 97 && number == 0) {
            byte[] first = ("rank " + number + " diverged").getBytes(StandardCharsets.UTF_8);
            Diverged diverged = new Diverged(job, rank.deliveries + 1);
            note(log, log.appendDiverged(diverged, ByteBuffer.wrap(first)), diverged, first, null);
        } else if (what < 97) {
            Finalized finalized = new Finalized(job, number, rank.incarnation, false);
            note(log, log.append(finalized), finalized, nothing, null);
        } else if (what < 98) {
            checkpoint(log, job, number, rank, random.nextBoolean());
        } else {
            log.appendArrival(Samples.arrival(1, 10), ByteBuffer.allocate(10));
        }
    }

    private void checkpoint(MessageLog log, long job, int number, Rank rank, boolean ready) {
        Checkpoint at = new Checkpoint(random.nextInt(), 10, log.position(), rank.events, rank.deliveries, rank.polls, random.nextInt(), ready);
        CheckpointTaken taken = new CheckpointTaken(job, number, at);
        note(log, log.append(taken), taken, new byte[0], null);
    }

    /** Has each rank need nothing of what was written so far. */
    void checkpointAll(MessageLog log) {
        jobs.forEach((job, ranks) -> {
            for (int number = 0; number < RANKS; number++) {
                checkpoint(log, job, number, ranks.get(number), false);
            }
        });
    }

    private void withdraw(MessageLog log, long job, int number, Rank rank) {
        List<StoredMessage> offers = rank.underWay.stream()
                .filter(m -> m.receipt() == null && m.arrived() == 0 && m.arrival().form() == Form.OFFER).toList();
        if (!offers.isEmpty()) {
            StoredMessage message = offers.get(random.nextInt(offers.size()));
            Arrival a = message.arrival();
            Withdrawn withdrawn = new Withdrawn(job, number, a.context(), a.source(), a.sequence(), message.position());
            rank.underWay.remove(message);
            note(log, log.appendWithdrawn(withdrawn), withdrawn, new byte[0], null);
        }
    }

    private void note(MessageLog log, long position, LogRecord record, byte[] payload, String message) {
        written.add(new Written(position, log.place(), record, payload, message));
    }

    /** All that can be told of a message. */
    static String text(StoredMessage m) {
        StringBuilder text = new StringBuilder(m.arrival() + " at " + m.position() + "/" + m.place() + ": " + m.inlineBytes()
                + " inline, " + m.arrived() + " here, whole " + m.isWhole() + ", got by " + m.receipt() + ", pieces");
        for (int i = 0; i < m.pieces(); i++) {
            text.append(' ').append(m.piecePlace(i));
        }
        return text.toString();
    }

    /** The messages under way for one mailbox, as the model has them. */
    static List<String> texts(List<StoredMessage> messages) {
        return messages.stream().map(Traffic::text).toList();
    }

    /** All that can be told of a book, in an order of its own. */
    static String text(LogState book) {
        StringBuilder text = new StringBuilder("epoch " + book.epoch() + " relay " + book.relayEpoch() + " boot " + book.boot());
        for (JobState job : book.jobs()) {
            text.append("\njob ").append(job.id()).append(' ').append(job.size()).append(' ').append(job.durability())
                    .append(" at ").append(job.position()).append('/').append(job.place()).append(' ').append(job.opening());
            byte[] opening = new byte[job.opening().remaining()];
            job.opening().get(opening);
            text.append(Arrays.hashCode(opening)).append(' ').append(job.divergences()).append(' ').append(job.divergence());
            job.ranks().forEach(rank -> text(text, rank));
        }
        return text.toString();
    }

    private static void text(StringBuilder text, RankLog r) {
        text.append("\n  rank ").append(List.of(r.rank(), r.incarnation(), r.finalized(), r.limited(), r.deliveries(),
                r.events(), r.polls(), r.firstPosition(), r.lastPosition(), r.pin(), r.pinOfNewest(), r.checkpoint(),
                r.olderCheckpoint(), r.prologue(), r.trails().count()));
        Map<Long, String> channels = new TreeMap<>();
        r.forEachChannel((context, source, sequence) -> {
            StringBuilder gone = new StringBuilder();
            r.forEachWithdrawn(context, source, s -> gone.append(' ').append(s));
            channels.put(ChannelTable.channel(context, source), sequence + " without" + gone);
        });
        text.append("\n    ").append(channels).append("\n    ");
        for (int i = 0; i < r.milestones().count(); i++) {
            text.append(r.milestones().at(i));
        }
        for (long position = r.firstPosition(); position <= r.lastPosition(); position++) {
            if (r.trails().arrived(position) >= 0) {
                text.append("\n    message ").append(position).append(' ').append(r.trails().arrived(position)).append(" less ")
                        .append(r.trails().missing(position)).append(" up to ").append(r.trails().lastPlace(position));
            }
        }
    }
}
