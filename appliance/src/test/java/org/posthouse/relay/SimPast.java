package org.posthouse.relay;

import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.posthouse.core.HistorySource;
import org.posthouse.core.HistoryStep;
import org.posthouse.core.HomedRank;
import org.posthouse.core.ResendClaim;
import org.posthouse.logstore.HistoryIndexEntry;
import org.posthouse.logstore.MemoryLog;
import org.posthouse.logstore.RankLog;
import org.posthouse.logstore.record.Checkpoint;
import org.posthouse.logstore.record.LogRecord;
import org.posthouse.relay.log.RankHistoryReader;
import org.posthouse.relay.log.RestartChoice;
import org.posthouse.relay.log.SentMessageIndex;
import org.posthouse.wire.Wire;

/** Reads histories for a {@link SimCore}: late and in small portions, with {@link RankHistoryReader} and {@link SentMessageIndex} as they are. */
final class SimPast implements HistorySource {
    private final SimCore core;
    private final MemoryLog log;
    private final Map<Key, Reading> readings = new HashMap<>();
    /** The first record that each follower needs; what is a relay's {@code FollowerPins}. */
    private final Map<Key, Long> followed = new HashMap<>();

    private final Map<Source, SentMessageIndex> sent = new HashMap<>();

    private record Source(long job, int rank) {}

    private record Key(HomedRank rank, int replay) {}

    SimPast(SimCore core, MemoryLog log) {
        this.core = core;
        this.log = log;
    }

    /** A history that was asked for; with an image, its prologue comes first. */
    private final class Reading {
        private final ArrayDeque<HistoryStep> ready = new ArrayDeque<>();
        private RankHistoryReader history;

        private void beginAt(HomedRank rank, long position, long pollsBefore) {
            history = new RankHistoryReader(log.ofRank(rank.job().id(), rank.rank(), position), pollsBefore, null);
        }

        /** What {@link RestartChoice.Jump} makes of it. */
        private void jump(HomedRank rank, RankLog known, Checkpoint image) {
            history = new RankHistoryReader(log.ofPrologue(rank.job().id(), rank.rank()), 0, null);
            List<HistoryStep> prologue = history.read(Long.MAX_VALUE);
            int end = 0;
            while (!(prologue.get(end) instanceof HistoryStep.PrologueEnd)) {
                end++;
            }
            ready.addAll(prologue.subList(0, end));
            ready.add(new HistoryStep.PrologueEnd(image.number(), image.bytes(), image.deliveries(), image.events(), image.polls()));
            byte[] bytes = core.host().image(rank, image.number());
            for (int at = 0; at < bytes.length; at += Wire.PAYLOAD_BYTES_MAX) {
                int length = Math.min(Wire.PAYLOAD_BYTES_MAX, bytes.length - at);
                ready.add(new HistoryStep.ImagePiece(image.number(), at, ByteBuffer.wrap(bytes, at, length).slice()));
            }
            HistoryIndexEntry behind = known.milestone(image.deliveries(), image.events()).orElseThrow();
            beginAt(rank, behind.position(), behind.polls() > image.polls() ? behind.polls() : 0);
        }

        private List<HistoryStep> read(long upTo) {
            if (ready.isEmpty()) {
                ready.addAll(history.read(upTo));
            }
            List<HistoryStep> steps = new ArrayList<>();
            for (int count = 1 + core.world().random().nextInt(ready.size()); count > 0; count--) {
                steps.add(ready.remove());
            }
            return steps;
        }
    }

    @Override
    public void reached(HomedRank rank, int replay, long position) {
        if (position >= log.position()) { // It needs no more than its rank does now.
            followed.replace(new Key(rank, replay), log.book().rank(rank.job().id(), rank.rank()).pin());
        }
    }

    /** The first record that any follower needs; the log's end if there is none. */
    long needed() {
        return followed.values().stream().mapToLong(position -> position).min().orElse(Long.MAX_VALUE);
    }

    @Override
    public void begin(HomedRank rank, int replay, long deliveries, long events, boolean originKnown, boolean follows, long upTo) {
        RankLog known = log.book().rank(rank.job().id(), rank.rank());
        boolean begins = deliveries == 0 && events == 0
                || known.checkpoint().isPresent()
                        && known.prologue().filter(end -> deliveries <= end.deliveries() && events <= end.events()).isPresent();
        boolean anew = begins && !originKnown && !follows && rank.incarnation() > 1;
        boolean fromStart = follows && !originKnown && deliveries == 0 && events == 0;
        boolean isCut = fromStart
                ? known.beginning().filter(record -> record.position() >= log.first()).isEmpty()
                : !anew && known.milestone(deliveries, events).filter(record -> record.position() >= log.first()).isEmpty();
        if (isCut) {
            core.after(1, () -> core.core().storage().historyUnreadable(rank, replay, "its beginning was cut"));
            return;
        }
        Optional<Checkpoint> image = anew ? readable(known) : Optional.empty();
        if (anew && !core.host().takes(rank.job().id())) {
            core.after(1, () -> core.core().storage().historyUnreadable(rank, replay, "the log takes nothing"));
            return;
        }
        if (anew) {
            log.append(new LogRecord.Incarnation(
                    rank.job().id(), rank.rank(), rank.incarnation(), LogRecord.Incarnation.CHOSEN, image.map(Checkpoint::number).orElse(0L)));
        }
        Reading reading = new Reading();
        if (image.isPresent()) {
            reading.jump(rank, known, image.get());
        } else {
            HistoryIndexEntry from = (anew || fromStart ? known.beginning() : known.milestone(deliveries, events)).orElseThrow();
            reading.beginAt(rank, from.position(), from.polls());
            if (follows) {
                followed.put(new Key(rank, replay), fromStart ? from.position() : known.pin());
            }
        }
        readings.put(new Key(rank, replay), reading);
        more(rank, replay, upTo);
    }

    /** The newest of a rank's images that its disk gives just now, which may give another the next time, or none. */
    private Optional<Checkpoint> readable(RankLog known) {
        return Stream.of(known.checkpoint(), known.olderCheckpoint())
                .flatMap(Optional::stream)
                .filter(image -> image.pin() >= log.first())
                .filter(image -> core.world().random().nextInt(3) > 0)
                .findFirst()
                .or(() -> known.beginning().filter(record -> record.position() >= log.first()).isPresent() ? Optional.empty() : known.checkpoint());
    }

    @Override
    public void more(HomedRank rank, int replay, long upTo) {
        Reading reading = readings.get(new Key(rank, replay));
        core.after(core.world().random().nextInt(20), () -> {
            if (readings.get(new Key(rank, replay)) == reading) { // Else that process is fenced, and the log may be cut behind what it needed.
                boolean isCutShort = core.world().has(PlantedFault.EARLY_END) && followed.containsKey(new Key(rank, replay)) && upTo == Long.MAX_VALUE;
                core.core().storage().historyRead(rank, replay, isCutShort ? List.of(new HistoryStep.End(Long.MAX_VALUE)) : reading.read(upTo));
            }
        });
    }

    @Override
    public void end(HomedRank rank, int replay) {
        readings.remove(new Key(rank, replay));
        followed.remove(new Key(rank, replay));
    }

    @Override
    public void resent(long job, int source, ResendClaim resendClaim) {
        core.after(core.world().random().nextInt(20), () -> {
            SentMessageIndex before = sent.computeIfAbsent(
                    new Source(job, source), any -> new SentMessageIndex(() -> Optional.of(log.ofSource(job, source)), log::first));
            String difference = before.difference(resendClaim);
            if (!difference.isEmpty()) {
                core.core().storage().diverged(job, source, resendClaim, difference);
            }
        });
    }

    @Override
    public void forget(long job) {}
}
