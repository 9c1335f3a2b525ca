package org.posthouse.launch.remote;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.StandardOpenOption;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.posthouse.causes.Causes;
import org.posthouse.launch.job.JobFailure;
import org.posthouse.launch.stage.ContentId;
import org.posthouse.launch.stage.JobContent;
import org.posthouse.wire.ContentHash;
import org.posthouse.wire.StageAnswer;
import org.posthouse.wire.StageAsk;
import org.posthouse.wire.StageData;
import org.posthouse.wire.StageTaken;
import org.posthouse.wire.Wire;

/**
 * Sends a relay what it lacks of a job's content: names all files, then sends the missing ones, one after the other.
 * Thread-safe by its own lock: one thread runs it, and the one that reads the relay's connection brings the answers.
 */
final class ContentUpload {
    private static final int CHUNK_BYTES = 64 * 1024;
    private static final long SILENCE_NS_MAX = TimeUnit.SECONDS.toNanos(60);

    private final int relay;
    private final String name;
    private final AgentTransport lines;
    private final Map<ContentHash, JobContent.StagedContent> contents = new LinkedHashMap<>();

    // Guarded by this.
    /** What the relay has of each file that it was asked about. */
    private final Map<ContentHash, Long> stored = new HashMap<>();

    /** Why the relay takes nothing more; null while it does. */
    private String failure;

    private long heardNs;
    private long bytesMissing;
    private long bytesSent;

    /**
     * @param relay its index among the job's homes
     * @param name of the relay, for people
     */
    ContentUpload(int relay, String name, JobContent content, AgentTransport lines) {
        this.relay = relay;
        this.name = name;
        this.lines = lines;
        content.contents().forEach((id, each) -> contents.put(ContentHash.of(id.digest()), each));
    }

    /**
     * Returns when the relay has all. Blocks.
     *
     * @throws JobFailure in one line that names the relay, and the file if one is to blame
     */
    void run() throws JobFailure, InterruptedException {
        synchronized (this) {
            stored.clear();
            failure = null;
            heardNs = System.nanoTime();
            bytesMissing = 0;
            bytesSent = 0;
        }
        contents.forEach((hash, each) -> lines.send(relay, new StageAsk(hash, each.id().bytes(), true).encode()));
        for (ContentHash hash : contents.keySet()) {
            awaitAnswer(hash);
        }
        for (Map.Entry<ContentHash, JobContent.StagedContent> each : contents.entrySet()) {
            send(each.getKey(), each.getValue());
        }
    }

    private synchronized void awaitAnswer(ContentHash hash) throws JobFailure, InterruptedException {
        while (!stored.containsKey(hash)) {
            await();
        }
    }

    /** Waits for the next answer. */
    private synchronized void await() throws JobFailure, InterruptedException {
        requireNoFailure();
        wait(TimeUnit.SECONDS.toMillis(1));
        requireNoFailure();
        if (System.nanoTime() - heardNs > SILENCE_NS_MAX) {
            throw new JobFailure(
                    "relay " + name + " has answered nothing for " + TimeUnit.NANOSECONDS.toSeconds(SILENCE_NS_MAX) + " s while files were staged");
        }
    }

    private synchronized void requireNoFailure() throws JobFailure {
        if (failure != null) {
            throw new JobFailure(failure);
        }
    }

    private synchronized long stored(ContentHash hash) {
        return stored.get(hash);
    }

    private void send(ContentHash hash, JobContent.StagedContent content) throws JobFailure, InterruptedException {
        ContentId id = content.id();
        long at = stored(hash);
        if (at == id.bytes()) {
            return;
        }
        try (FileChannel file = FileChannel.open(content.file(), StandardOpenOption.READ)) {
            while (stored(hash) < id.bytes()) {
                at = Math.max(at, stored(hash)); // Another launcher may send the same.
                int length = (int) Math.min(CHUNK_BYTES, id.bytes() - at);
                if (length == 0 || at + length - stored(hash) > Wire.STAGE_WINDOW_BYTES) {
                    awaitTaken(hash, stored(hash));
                    continue;
                }
                requireNoFailure();
                ByteBuffer bytes = ByteBuffer.allocate(length);
                if (file.read(bytes, at) <= 0) {
                    throw new JobFailure(changed(content));
                }
                bytes.flip();
                int count = bytes.remaining();
                lines.send(relay, new StageData(hash, at, bytes).encode());
                at += count;
                count(count);
            }
        } catch (IOException e) {
            throw new JobFailure(content.source() + " cannot be staged: it cannot be read: " + Causes.text(e), e);
        }
    }

    private synchronized void awaitTaken(ContentHash hash, long before) throws JobFailure, InterruptedException {
        while (stored.get(hash) <= before) {
            await();
        }
    }

    private synchronized void count(int bytes) {
        bytesSent += bytes;
    }

    private static String changed(JobContent.StagedContent content) {
        return content.source() + " cannot be staged: it has changed since it was read; run the job again";
    }

    /** The relay's answer to a question, or its refusal of a file. */
    synchronized void onAnswer(StageAnswer answer) {
        JobContent.StagedContent content = contents.get(answer.hash());
        if (content == null) {
            return;
        }
        heardNs = System.nanoTime();
        if (answer.offset() == StageAnswer.REFUSED) {
            fail(content.hasChanged() ? changed(content) : content.source() + " cannot be staged at relay " + name + ": " + answer.why());
        } else if (stored.put(answer.hash(), answer.offset()) == null) {
            bytesMissing += content.id().bytes() - answer.offset();
        }
        notifyAll();
    }

    /** The relay has stored bytes. */
    synchronized void onTaken(StageTaken report) {
        heardNs = System.nanoTime();
        stored.computeIfPresent(report.hash(), (hash, before) -> Math.max(before, report.offset()));
        notifyAll();
    }

    /** The relay's connection has ended. */
    synchronized void lost(String why) {
        fail("files cannot be staged: " + why);
    }

    private void fail(String why) {
        failure = failure == null ? why : failure;
        notifyAll();
    }

    /** Bytes that the relay lacked. */
    synchronized long bytesMissing() {
        return bytesMissing;
    }

    /** Bytes that were sent. */
    synchronized long bytesSent() {
        return bytesSent;
    }
}
