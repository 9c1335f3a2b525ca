package org.posthouse.core;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.posthouse.wire.CheckpointNotice;
import org.posthouse.wire.CloseNotice;
import org.posthouse.wire.CloseReason;
import org.posthouse.wire.FrameType;
import org.posthouse.wire.FrameView;
import org.posthouse.wire.Hello;
import org.posthouse.wire.JobEvent;
import org.posthouse.wire.StatePage;
import org.posthouse.wire.Wire;

/**
 * Runs a scenario against one {@link RelayCore}. A scenario is a text: an English first line, {@code job logged} or
 * {@code job not logged}, then steps. A step is a line that begins with {@code >}; the lines below it are all that the
 * core does in answer, in order. Ranks 0, 1 and 2 have their home here, rank 3 at site "there".
 */
final class Scenario {
    private static final int MESSAGE_BYTES = 10;
    private static final CloseNotice CUT = CloseNotice.closing(OneRelay.JOB, CloseReason.NORMAL, "the connection ended");

    /** One kind of step. */
    private interface Action {
        void run(Matcher words) throws Exception;
    }

    private final Map<Pattern, Action> steps = new LinkedHashMap<>();
    private final Map<Integer, OneRelay.Rank> ranks = new HashMap<>();
    private final OneRelay relay;

    private Scenario(boolean logged) throws Refusal {
        relay = logged ? OneRelay.logged() : new OneRelay();
        step("rank (\\d) connects", w -> ranks.put(rank(w), relay.connect(rank(w))));
        step("rank (\\d) sends #(\\d+) to (\\d)", this::send);
        step("rank (\\d) sends #(\\d+) to (\\d) again", this::sendAgain);
        step("site there sends #(\\d+) from 3 to (\\d)", w -> relay.fromSite("there", message(3, number(w, 2), number(w, 1))));
        step("rank (\\d) posts receive (\\d+) from (\\d|ANY)", this::post);
        step("the connection of rank (\\d) is cut", this::cut);
        step("rank (\\d) dies", this::cut);
        step("rank (\\d) starts again as incarnation (\\d+)", w -> comes(w, Hello.start(OneRelay.JOB, rank(w), number(w, 2))));
        step("rank (\\d) reconnects with (\\d+) deliver(?:y|ies) and (\\d+) frames? kept", w -> comes(w, again(w)));
        step("the history of rank (\\d) has delivery (\\d+): #(\\d+) from (\\d) to receive (\\d+)", this::delivered);
        step("the history of rank (\\d) ends", w -> past(w, new HistoryStep.End(relay.journal.position())));
        step("rank (\\d) is live", w -> of(w).sends(relay.frames.live()));
        step("rank (\\d) saves an image of (\\d+) bytes", this::save);
        step("rank (\\d) sends (\\d+) bytes of its image", w -> of(w).sends(relay.frames.image(0, number(w, 2))));
        step("image (\\d+) of rank (\\d), of (\\d+) bytes, is on the disk", this::saved);
        step("rank (\\d) is asked to move", w -> relay.core.move(of(w).rank));
        step("rank (\\d) leaves", w -> of(w).sends(relay.frames.moving()));
        step("rank (\\d) comes on another connection with (\\d+) deliver(?:y|ies), having sent #(\\d+) to (\\d)", this::moves);
    }

    private void step(String words, Action action) {
        steps.put(Pattern.compile(words), action);
    }

    /**
     * Runs a scenario.
     *
     * @return the same text with what the core did below each step
     */
    static String run(String text) throws Exception {
        List<String> lines = text.lines().toList();
        Scenario scenario = new Scenario(lines.contains("job logged"));
        List<String> done = new ArrayList<>();
        for (String line : lines) {
            if (line.startsWith("> ")) {
                done.add(line);
                scenario.run(line.substring(2), done);
            } else if (line.isBlank() || line.startsWith("job ") || done.isEmpty() || line.startsWith("#")) {
                done.add(line);
            }
        }
        scenario.relay.end();
        return String.join("\n", done) + "\n";
    }

    private void run(String step, List<String> done) throws Exception {
        relay.trace.clear();
        relay.events.clear();
        for (Map.Entry<Pattern, Action> each : steps.entrySet()) {
            Matcher words = each.getKey().matcher(step);
            if (words.matches()) {
                each.getValue().run(words);
                relay.trace.forEach(effect -> done.add("  " + effect));
                relay.historySource.take().forEach(asked -> done.add("  log reader: " + asked));
                relay.images.take().forEach(asked -> done.add("  image store: " + asked));
                relay.events.forEach(event -> done.add("  launcher: " + name(event)));
                return;
            }
        }
        throw new IllegalArgumentException("no such step: " + step + "; expected one of " + steps.keySet());
    }

    private static String name(JobEvent event) {
        String what = switch (event.kind()) {
            case JobEvent.CONNECTED -> "connected";
            case JobEvent.AWAY -> "away";
            case JobEvent.REPLAYING -> "replaying";
            case JobEvent.CAUGHT_UP -> "caught up";
            case JobEvent.CHECKPOINTED -> "has a checkpoint";
            default -> "event " + event.kind();
        };
        return "rank " + event.rank() + " " + what;
    }

    private static int number(Matcher words, int group) {
        return Integer.parseInt(words.group(group));
    }

    private static int rank(Matcher words) {
        return number(words, 1);
    }

    private OneRelay.Rank of(Matcher words) {
        return ranks.get(rank(words));
    }

    private ByteBuffer message(int from, int to, long sequence) {
        return relay.frames.message(FrameType.SEND, 0, from, to, 0, sequence, MESSAGE_BYTES);
    }

    private void send(Matcher words) throws Exception {
        of(words).sends(message(rank(words), number(words, 3), number(words, 2)));
    }

    private void sendAgain(Matcher words) throws Exception {
        ByteBuffer frame = message(rank(words), number(words, 3), number(words, 2));
        new FrameView().wrap(frame, 0).flags(FrameView.AGAIN);
        of(words).sends(frame);
    }

    private void post(Matcher words) throws Exception {
        int source = words.group(3).equals("ANY") ? Wire.ANY : number(words, 3);
        ByteBuffer post = relay.frames.post(0, source, rank(words), 0, number(words, 2), 0);
        new FrameView().wrap(post, 0).ordinal(number(words, 2));
        of(words).sends(post);
    }

    private void cut(Matcher words) {
        OneRelay.Rank port = of(words);
        relay.core.disconnected(port.rank, port, CUT);
    }

    private static Hello again(Matcher words) {
        return Hello.firstStart(OneRelay.JOB, rank(words)).again(Hello.AGAIN, number(words, 2), 0, 0, number(words, 3), 1);
    }

    private void comes(Matcher words, Hello hello) throws Refusal {
        OneRelay.Rank port = relay.new Rank();
        relay.connect(hello, port);
        ranks.put(rank(words), port);
    }

    private void delivered(Matcher words) {
        Message message = Message.of(new Message.Logged(
                0, number(words, 4), 0, 0, number(words, 3), MESSAGE_BYTES, 1, 1, FrameType.SEND, false, 0, relay.journal.pretend(MESSAGE_BYTES)));
        past(words, new HistoryStep.Delivered(number(words, 2), number(words, 5), message, MESSAGE_BYTES));
    }

    private void past(Matcher words, HistoryStep step) {
        HomedRank rank = of(words).rank;
        relay.core.storage().historyRead(rank, rank.replay().number(), List.of(step));
    }

    private void save(Matcher words) throws Exception {
        relay.pointed(of(words).rank, new CheckpointNotice(OneRelay.JOB, CheckpointNotice.Kind.SAVE, 0, 0, number(words, 2), 0, 0, 0, 0, 0));
    }

    private void saved(Matcher words) {
        relay.core.storage().imageStored(ranks.get(number(words, 2)).rank, rank(words), new CheckpointImage(rank(words), number(words, 3), 0));
    }

    private void moves(Matcher words) throws Refusal {
        OneRelay.Rank port = relay.new Rank();
        Hello hello = Hello.firstStart(OneRelay.JOB, rank(words)).again(Hello.MOVED, number(words, 2), 0, 0, 1, 1);
        relay.connect(hello, port, new StatePage.Entry(StatePage.SENT, 0, number(words, 4), number(words, 3)));
        ranks.put(rank(words), port);
    }
}
