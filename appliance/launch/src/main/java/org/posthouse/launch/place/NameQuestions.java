package org.posthouse.launch.place;

import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.posthouse.launch.job.JobFailure;
import org.posthouse.wire.FrameType;
import org.posthouse.wire.NameAnswer;
import org.posthouse.wire.NameAssembly;
import org.posthouse.wire.NamePage;
import org.posthouse.wire.NamedRecord;
import org.posthouse.wire.WireException;

/**
 * Questions about names that were asked on one connection, and their answers. Thread-safe: any thread asks, the one that reads the connection answers.
 */
final class NameQuestions {
    private final Map<Long, CompletableFuture<NameAnswer>> asked = new HashMap<>();
    private final Map<Long, Listener> listeners = new HashMap<>();

    // Confined to the thread that reads.
    private final NameAssembly answers = new NameAssembly(NameAnswer.BYTES_MAX);
    private final NameAssembly changes = new NameAssembly(NameAnswer.BYTES_MAX);

    private long lastId;
    private JobFailure lost;

    private record Listener(Consumer<NamedRecord> changes, Consumer<String> onLost) {}

    /** A question's id, and where its answer comes. */
    record Question(long id, CompletableFuture<NameAnswer> answer) {}

    /** To be called before the question is sent. */
    synchronized Question next() {
        Question question = new Question(++lastId, new CompletableFuture<>());
        if (lost == null) {
            asked.put(question.id, question.answer);
        } else {
            question.answer.completeExceptionally(lost);
        }
        return question;
    }

    /** As {@link #next}, of a question after which changes come. @param onLost told why no more come */
    synchronized Question next(Consumer<NamedRecord> changes, Consumer<String> onLost) {
        Question question = next();
        listeners.put(question.id, new Listener(changes, onLost));
        return question;
    }

    void onPage(FrameType type, ByteBuffer frame) throws WireException {
        NamePage page = NamePage.decode(frame);
        Optional<ByteBuffer> body = (type == FrameType.NAME_ANSWER ? answers : changes).add(page);
        if (body.isEmpty()) {
            return;
        }
        NameAnswer answer = NameAnswer.decode(body.get());
        if (type == FrameType.NAME_ANSWER) {
            CompletableFuture<NameAnswer> waiting = answered(page.id());
            if (waiting != null) {
                waiting.complete(answer);
            }
        } else {
            Listener listener = listener(page.id());
            if (listener != null) {
                answer.found().forEach(listener.changes);
            }
        }
    }

    private synchronized CompletableFuture<NameAnswer> answered(long id) {
        return asked.remove(id);
    }

    private synchronized Listener listener(long id) {
        return listeners.get(id);
    }

    /** The connection has ended: nothing is answered any more. */
    synchronized void lost(JobFailure why) {
        lost = why;
        asked.values().forEach(answer -> answer.completeExceptionally(why));
        asked.clear();
        List<Listener> told = List.copyOf(listeners.values());
        listeners.clear();
        told.forEach(listener -> listener.onLost.accept(why.getMessage()));
    }
}
