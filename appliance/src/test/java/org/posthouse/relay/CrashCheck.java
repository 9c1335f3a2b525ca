package org.posthouse.relay;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.posthouse.logstore.MemoryLog;
import org.posthouse.logstore.record.LogRecord;
import org.posthouse.mpj.Diary;
import org.posthouse.mpj.Diary.Letter;

/**
 * What must hold of a job when its {@link CrashWorld} has come to its end, of what the last process of each rank has seen and done, those
 * parts included that it did again: it is as if there had been one process of each rank.
 */
final class CrashCheck {
    private record Way(int source, int destination, int context, int tag) {}

    private record Channel(int source, int context, int tag) {}

    /** A receive, in the order of the calls in its context. */
    private record Call(int context, long ordinal) implements Comparable<Call> {
        private static Call of(Diary.Post post) {
            return new Call(post.context(), post.ordinal());
        }

        @Override
        public int compareTo(Call other) {
            return context == other.context ? Long.compare(ordinal, other.ordinal) : Integer.compare(context, other.context);
        }
    }

    private final CrashWorld world;
    private final SimJob job;
    private int unasked;
    private int unaskedLong;
    private int tooLong;

    CrashCheck(CrashWorld world, SimJob job) {
        this.world = world;
        this.job = job;
    }

    void check() {
        checkMessages();
        checkSums();
        for (int rank = 0; rank < job.ranks(); rank++) {
            checkOrder(rank);
            if (job.opening().logged()) {
                checkLog(rank);
            }
            int lines = job.diary(rank).lines();
            if (job.replicas() != null) {
                checkFollowers(rank);
            }
            require(lines == job.tape(rank).size(), "rank " + rank + " has printed " + lines + " lines, shown: " + job.tape(rank));
        }
    }

    /** Messages that had come before they were asked for. */
    int unasked() {
        return unasked;
    }

    /** Those of them that were long. */
    int unaskedLong() {
        return unaskedLong;
    }

    /** Messages that did not fit into their receives. */
    int tooLong() {
        return tooLong;
    }

    /** Every message that was sent has come once, and is the one that its sender has sent: those of one tag come in their order, to receives in the order of their calls. */
    private void checkMessages() {
        Map<Way, ArrayDeque<Letter>> sent = new HashMap<>();
        for (int rank = 0; rank < job.ranks(); rank++) {
            for (Letter letter : job.diary(rank).sent()) {
                sent.computeIfAbsent(new Way(rank, letter.peer(), letter.context(), letter.tag()), none -> new ArrayDeque<>()).add(letter);
            }
        }
        for (int rank = 0; rank < job.ranks(); rank++) {
            for (Letter letter : received(rank).values()) {
                Letter was = sent.getOrDefault(new Way(letter.peer(), rank, letter.context(), letter.tag()), new ArrayDeque<>()).poll();
                require(was != null, "rank " + rank + " has received what nobody has sent, or twice: " + letter);
                tooLong += letter.number() == 0 && !letter.isShort() ? 1 : 0;
                boolean same = letter.number() == 0 || was.number() == letter.number() && was.mark() == letter.mark();
                require(same && was.bytes() == letter.bytes(), "rank " + rank + " has received " + letter + ", its sender says " + was);
            }
        }
        sent.values().forEach(left -> require(left.isEmpty(), "was sent and has not come: " + left));
    }

    /** What a follower has seen and printed is what its rank has. */
    private void checkFollowers(int rank) {
        Diary whole = job.diary(rank);
        List<Map.Entry<Diary.Post, Letter>> all = List.copyOf(whole.received().entrySet());
        for (Diary follower : job.replicas().diaries(rank)) {
            List<Map.Entry<Diary.Post, Letter>> seen = List.copyOf(follower.received().entrySet());
            require(
                    seen.size() <= all.size() && seen.equals(all.subList(0, seen.size())),
                    "a follower of rank " + rank + " has received " + seen + ", which is no prefix of what its rank has: " + all);
            for (int i = 0; i < follower.sums().size(); i++) {
                long[] sum = follower.sums().get(i);
                long[] expected = whole.sums().get(i);
                require(
                        Arrays.equals(sum, expected),
                        "a follower of rank " + rank + " has " + Arrays.toString(sum) + " as sum " + i + ", its rank " + Arrays.toString(expected));
            }
        }
        for (Map<Integer, String> lines : job.replicas().lines(rank)) {
            lines.forEach((number, line) -> require(
                    line.equals(job.tape(rank).get(number - 1)), "a follower of rank " + rank + " has printed " + line + " as line " + number));
        }
    }

    /** What a rank has received, in the order of the calls in each context. */
    private TreeMap<Diary.Post, Letter> received(int rank) {
        TreeMap<Diary.Post, Letter> received = new TreeMap<>(Comparator.comparing(Call::of));
        received.putAll(job.diary(rank).received());
        return received;
    }

    /** What came out of a collective is the sum of what was put in. */
    private void checkSums() {
        Map<Long, Long> parts = new HashMap<>();
        Map<Long, Set<Long>> sums = new HashMap<>();
        for (int rank = 0; rank < job.ranks(); rank++) {
            for (long[] sum : job.diary(rank).sums()) {
                parts.merge(sum[0], sum[1], Long::sum);
                sums.computeIfAbsent(sum[0], none -> new HashSet<>()).add(sum[2]);
            }
        }
        parts.forEach((context, sum) -> require(
                sums.get(context).equals(Set.of(sum)), "parts in context " + context + " make " + sum + ", came out: " + sums.get(context)));
    }

    /** Messages of one sender with one tag have not overtaken each other. */
    private void checkOrder(int rank) {
        Map<Channel, List<Map.Entry<Diary.Post, Letter>>> channels = new HashMap<>();
        for (Map.Entry<Diary.Post, Letter> each : received(rank).entrySet()) {
            Letter letter = each.getValue();
            if (letter.number() > 0) {
                channels.computeIfAbsent(new Channel(letter.peer(), letter.context(), letter.tag()), none -> new ArrayList<>()).add(each);
            }
        }
        for (List<Map.Entry<Diary.Post, Letter>> channel : channels.values()) {
            long last = 0;
            for (Map.Entry<Diary.Post, Letter> each : channel) {
                require(each.getValue().number() > last, "rank " + rank + " has received in the wrong order: " + channel);
                last = each.getValue().number();
            }
        }
    }

    /**
     * Each receive has got what the log says that it got: the message that names it, or of those that came unasked the first that it
     * takes and that no earlier receive has taken (ADR 25).
     */
    private void checkLog(int rank) {
        MemoryLog log = world.hosts().get(world.relayOfCore(job.coreOf(rank))).log();
        TreeMap<Call, Map.Entry<Diary.Post, Letter>> received = new TreeMap<>();
        job.diary(rank).received().entrySet().forEach(each -> received.put(Call.of(each.getKey()), each));
        List<LogRecord.Arrival> unasked = new ArrayList<>();
        for (long position = 1; position <= log.position(); position++) {
            LogRecord record = log.was(MemoryLog.place(position));
            if (record.job() != job.id() || record.rank() != rank) {
                continue;
            }
            LogRecord.Arrival arrival = null;
            LogRecord.Receipt receipt = null;
            if (record instanceof LogRecord.Arrival direct) {
                arrival = direct;
                receipt = direct.receipt();
            } else if (record instanceof LogRecord.Delivery delivery) {
                arrival = (LogRecord.Arrival) log.was(delivery.arrivalPlace());
                receipt = delivery.receipt();
            }
            if (receipt == null || arrival.context() % 2 == 1) {
                continue;
            }
            if (receipt.ordinal() == 0) {
                unasked.add(arrival);
            } else {
                checkLogged(rank, arrival, received.remove(new Call(arrival.context(), receipt.ordinal())));
            }
        }
        this.unasked += unasked.size();
        unaskedLong += (int) unasked.stream().filter(arrival -> arrival.length() > 16 * 1024).count();
        for (LogRecord.Arrival arrival : unasked) {
            Call call = received.values().stream()
                    .map(Map.Entry::getKey)
                    .filter(post -> post.context() == arrival.context() && post.takes(arrival.source(), arrival.tag()))
                    .map(Call::of)
                    .findFirst()
                    .orElseThrow(() -> new AssertionError("rank " + rank + " has not received " + arrival));
            checkLogged(rank, arrival, received.remove(call));
        }
        require(received.isEmpty(), "rank " + rank + " has received what is not in its log: " + received);
    }

    private static void checkLogged(int rank, LogRecord.Arrival logged, Map.Entry<Diary.Post, Letter> received) {
        Letter letter = received == null ? null : received.getValue();
        require(
                letter != null && letter.peer() == logged.source() && letter.tag() == logged.tag() && letter.bytes() == logged.length(),
                "rank " + rank + " has received " + letter + " where the log has " + logged);
    }

    private static void require(boolean holds, String what) {
        if (!holds) {
            throw new AssertionError(what);
        }
    }
}
