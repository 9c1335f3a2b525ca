package org.posthouse.names.raft;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.posthouse.names.NameException;
import org.posthouse.names.raft.Frame.Question;

/**
 * Asks the judge that leads, whichever that is. Its methods block, for {@link RaftTiming#answerMs} and the time that the judge was asked to wait. Thread-safe.
 *
 * <p>A command is repeated with its number, and the judges answer a number only once anew, so it is done at most once.
 */
final class JudgeClient implements AutoCloseable {
    /** Milliseconds for one judge's answer; then the next is asked. */
    private static final long TRY_MS = 2_000;

    private static final long PAUSE_MS = 50;

    private final RaftConfig config;
    private final Optional<RaftJudge> local;
    private final Map<String, JudgePeer> peers;
    private final List<String> judges;
    private final byte[] id = id();
    private final AtomicLong calls = new AtomicLong();

    /** The judge that led last. Written and read by any thread; whoever is wrong is corrected by the judge it asks. */
    private volatile String leader;

    /** @param local the judge of this process, which is asked without a connection */
    JudgeClient(RaftConfig config, Optional<RaftJudge> local) {
        this.config = config;
        this.local = local;
        judges = List.copyOf(config.judges().keySet());
        leader = local.isPresent() ? config.relay() : judges.getFirst();
        peers = judges.stream()
                .filter(judge -> local.isEmpty() || !judge.equals(config.relay()))
                .collect(Collectors.toMap(Function.identity(), judge -> new JudgePeer(config.relay(), judge, config.set(), config.guard())));
    }

    private static byte[] id() {
        UUID random = UUID.randomUUID();
        return ByteBuffer.allocate(RaftJudge.CLIENT_BYTES).putLong(random.getMostSignificantBits()).putLong(random.getLeastSignificantBits()).array();
    }

    /**
     * Has a command done.
     *
     * @return what {@link NameCommand#answer} reads
     */
    byte[] command(NameCommand command) throws InterruptedException {
        ByteWriter out = new ByteWriter().bytes(id).i64(calls.getAndIncrement());
        command.write(out);
        return ask(Question.COMMAND, out.toBytes(), 0);
    }

    /**
     * Asks until a judge has answered.
     *
     * @param waitMs for how long the judge is asked to wait
     * @throws NameException UNAVAILABLE, with what each judge has answered last
     */
    byte[] ask(Question question, byte[] content, long waitMs) throws InterruptedException {
        long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(config.timing().answerMs() + waitMs);
        SortedMap<String, String> problems = new TreeMap<>();
        String judge = leader;
        while (true) {
            long left = TimeUnit.NANOSECONDS.toMillis(end - System.nanoTime());
            if (left <= 0) {
                throw unavailable(problems);
            }
            String next = after(judge);
            try {
                JudgeReply reply = ask(judge, question, content, Math.min(left, TRY_MS + waitMs));
                switch (reply.answer()) {
                    case DONE -> {
                        leader = judge;
                        return reply.content();
                    }
                    case NOT_LEADER -> {
                        problems.put(judge, "knows of no leader");
                        if (judges.contains(reply.text())) {
                            problems.put(judge, "follows " + reply.text());
                            next = reply.text();
                        }
                    }
                    default -> problems.put(judge, reply.text());
                }
            } catch (IOException e) {
                problems.put(judge, String.valueOf(e.getMessage()));
            }
            judge = next;
            Thread.sleep(Math.min(left, PAUSE_MS));
        }
    }

    private JudgeReply ask(String judge, Question question, byte[] content, long millis) throws IOException {
        return local.isPresent() && judge.equals(config.relay()) ? local.get().answer(question, content) : peers.get(judge).ask(question, content, millis);
    }

    private String after(String judge) {
        return judges.get((judges.indexOf(judge) + 1) % judges.size());
    }

    private NameException unavailable(SortedMap<String, String> problems) {
        List<String> each = new ArrayList<>();
        problems.forEach((judge, problem) -> each.add(judge + " " + config.judges().get(judge) + ": " + problem));
        return new NameException(NameException.Kind.UNAVAILABLE, "no majority of the judges " + config.set().ids() + " has answered within "
                + config.timing().answerMs() + " ms (" + String.join("; ", each) + "); start the others, or mend the links to them");
    }

    @Override
    public void close() {
        peers.values().forEach(JudgePeer::close);
    }
}
