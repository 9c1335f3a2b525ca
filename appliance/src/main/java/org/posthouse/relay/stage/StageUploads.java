package org.posthouse.relay.stage;

import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import org.posthouse.launch.stage.ContentId;
import org.posthouse.launch.stage.ContentStore;
import org.posthouse.launch.stage.IncomingContent;
import org.posthouse.launch.stage.PinnedContent;
import org.posthouse.launch.stage.StageException;
import org.posthouse.wire.CloseReason;
import org.posthouse.wire.ContentHash;
import org.posthouse.wire.StageAnswer;
import org.posthouse.wire.StageAsk;
import org.posthouse.wire.StageData;
import org.posthouse.wire.StageTaken;
import org.posthouse.wire.Wire;
import org.posthouse.wire.WireException;

/**
 * The content that one launcher's connection has named: it stays in the store until the connection ends, and what is
 * missing arrives over it. Methods are confined to the relay's control strand, what they start to the thread for arrivals.
 */
public final class StageUploads {
    /** Most files that a connection may name: those of a job. */
    static final int FILES_MAX = 20_000;

    private final StageCache cache;
    private final StageOutput output;

    /** What was named, with its length. Confined to the control strand. */
    private final Map<ContentHash, ContentId> named = new HashMap<>();

    /** Bytes that wait for the disk. Added to by the control strand, taken from by the thread for arrivals. */
    private final AtomicLong waiting = new AtomicLong();

    // Confined to the thread for arrivals.
    private final Map<ContentHash, IncomingContent> arriving = new HashMap<>();
    private final Map<ContentHash, PinnedContent> used = new HashMap<>();
    private boolean isClosed;

    StageUploads(StageCache cache, StageOutput output) {
        this.cache = cache;
        this.output = output;
    }

    /** The launcher has a file: answers from which byte on the store lacks it. */
    public void onAsk(StageAsk ask) throws WireException {
        if (!ask.has()) {
            throw new WireException(CloseReason.NOT_EXPECTED, "STAGE_ASK of a launcher that wants a file, expected one that has it");
        }
        ContentId id = ContentId.of(ask.hash().bytes(), ask.length());
        named.put(ask.hash(), id);
        if (named.size() > FILES_MAX) {
            throw new WireException(CloseReason.LIMIT, "a launcher that names " + named.size() + " files, expected at most " + FILES_MAX);
        }
        cache.arrive(() -> answer(ask.hash(), id));
    }

    private void answer(ContentHash hash, ContentId id) {
        if (isClosed) {
            return;
        }
        IncomingContent already = arriving.get(hash);
        if (already != null) {
            output.send(new StageAnswer(hash, already.position(), "").encode());
            return;
        }
        try {
            ContentStore store = cache.store();
            Optional<PinnedContent> present = store.pin(id);
            if (present.isPresent()) {
                PinnedContent before = used.put(hash, present.get());
                if (before != null) { // It was asked for again.
                    before.close();
                }
                output.send(new StageAnswer(hash, id.bytes(), "").encode());
                return;
            }
            store.requireFits(id);
            long stored = store.storedBytes(id);
            if (stored == id.bytes()) { // Of an attempt that was broken off at its end, or empty.
                IncomingContent content = store.receive(id);
                arriving.put(hash, content);
                stored = content.position();
            }
            output.send(new StageAnswer(hash, stored, "").encode());
        } catch (StageException e) {
            output.send(StageAnswer.refused(hash, e.getMessage()).encode());
        }
    }

    /** Bytes of a file that was named. */
    public void onData(StageData data) throws WireException {
        ContentId id = named.get(data.hash());
        if (id == null) {
            throw new WireException(CloseReason.NOT_EXPECTED, "STAGE_DATA of a file that no STAGE_ASK has named");
        }
        int bytes = data.bytes().remaining();
        if (waiting.addAndGet(bytes) > Wire.STAGE_WINDOW_BYTES) {
            throw new WireException(
                    CloseReason.LIMIT, "a launcher with " + waiting.get() + " bytes of files under way, expected at most " + Wire.STAGE_WINDOW_BYTES);
        }
        cache.arrive(() -> {
            store(data.hash(), id, data.offset(), data.bytes());
            cache.countIn(bytes);
        });
    }

    private void store(ContentHash hash, ContentId id, long offset, ByteBuffer bytes) {
        int length = bytes.remaining();
        try {
            if (!isClosed) {
                IncomingContent content = arriving.get(hash);
                if (content == null) {
                    content = cache.store().receive(id);
                    arriving.put(hash, content);
                }
                long position = content.write(offset, bytes);
                waiting.addAndGet(-length);
                output.send(new StageTaken(hash, position).encode());
            }
        } catch (StageException e) {
            IncomingContent failed = arriving.remove(hash);
            if (failed != null) {
                failed.close();
            }
            waiting.addAndGet(-length);
            output.send(StageAnswer.refused(hash, e.getMessage()).encode());
        }
    }

    /** The connection has ended: what it named may be removed when others need the room. */
    public void close() {
        cache.arrive(() -> {
            isClosed = true;
            arriving.values().forEach(IncomingContent::close);
            used.values().forEach(PinnedContent::close);
        });
    }
}
