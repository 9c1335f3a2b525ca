package org.posthouse.relay.stage;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.StandardOpenOption;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.posthouse.causes.Causes;
import org.posthouse.launch.stage.ContentId;
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
 * The content that one agent's connection fetches. The agent asks for a file, reports with STAGE_TAKEN how much of it it
 * has, and gets the rest, at most {@link Wire#STAGE_WINDOW_BYTES} beyond its last report. Methods are confined to the
 * relay's control strand, what they start to the thread for departures.
 */
public final class StageDownloads {
    /** Most files that an agent may be fetching. */
    static final int FILES_MAX = 64;

    private final StageCache cache;
    private final StageOutput output;

    /** Files that were asked for and are not over. Added to by the control strand, taken from by the thread for departures. */
    private final AtomicInteger open = new AtomicInteger();

    // Confined to the thread for departures.
    private final Map<ContentHash, Download> downloads = new HashMap<>();
    private boolean isClosed;

    /** One file on its way. Confined to the thread for departures. */
    final class Download {
        private final ContentHash hash;
        private final PinnedContent content;
        private final FileChannel file;

        /** Bytes that the agent has stored; -1 before it has said so. */
        private long taken = -1;

        private long sent;

        Download(ContentHash hash, PinnedContent content, FileChannel file) {
            this.hash = hash;
            this.content = content;
            this.file = file;
        }

        private long bytes() {
            return content.id().bytes();
        }

        /** Sends what the agent's window takes. Called when it is this file's turn, and at each report. */
        void send() {
            try {
                while (!isClosed && sent < Math.min(bytes(), taken + Wire.STAGE_WINDOW_BYTES)) {
                    int length = (int) Math.min(StageCache.CHUNK_BYTES, Math.min(bytes(), taken + Wire.STAGE_WINDOW_BYTES) - sent);
                    ByteBuffer bytes = ByteBuffer.allocate(length);
                    if (file.read(bytes, sent) <= 0) {
                        throw new IOException("its file ends at byte " + sent);
                    }
                    bytes.flip();
                    int count = bytes.remaining();
                    output.send(new StageData(hash, sent, bytes).encode());
                    sent += count;
                    cache.countOut(count);
                }
            } catch (IOException e) {
                output.send(StageAnswer.refused(hash, "the relay cannot read its copy: " + Causes.text(e)).encode());
                end(this);
            }
        }
    }

    StageDownloads(StageCache cache, StageOutput output) {
        this.cache = cache;
        this.output = output;
    }

    /** The agent wants a file. */
    public void onAsk(StageAsk ask) throws WireException {
        if (ask.has()) {
            throw new WireException(CloseReason.NOT_EXPECTED, "STAGE_ASK of an agent that has a file, expected one that wants it");
        }
        if (open.incrementAndGet() > FILES_MAX) {
            throw new WireException(CloseReason.LIMIT, "an agent that fetches " + open.get() + " files at once, expected at most " + FILES_MAX);
        }
        cache.depart(() -> answer(ask.hash(), ContentId.of(ask.hash().bytes(), ask.length())));
    }

    private void answer(ContentHash hash, ContentId id) {
        Download before = downloads.get(hash);
        if (before != null) {
            end(before);
        }
        if (isClosed) {
            return;
        }
        try {
            Optional<PinnedContent> content = cache.store().pin(id);
            if (content.isEmpty()) {
                open.decrementAndGet();
                // Bytes that arrive now cannot be verified before the last one.
                output.send(new StageAnswer(hash, 0, "").encode());
                return;
            }
            begin(hash, content.get());
            output.send(new StageAnswer(hash, id.bytes(), "").encode());
        } catch (IOException e) {
            open.decrementAndGet();
            output.send(StageAnswer.refused(hash, e instanceof StageException ? e.getMessage() : "the relay cannot read its copy: " + Causes.text(e)).encode());
        }
    }

    private void begin(ContentHash hash, PinnedContent content) throws IOException {
        try {
            downloads.put(hash, new Download(hash, content, FileChannel.open(content.path(), StandardOpenOption.READ)));
        } catch (IOException e) {
            content.close();
            throw e;
        }
    }

    /** The agent has stored so many bytes of a file. */
    public void onTaken(StageTaken report) {
        cache.depart(() -> {
            Download download = downloads.get(report.hash());
            if (download == null) {
                return;
            }
            if (report.offset() >= download.bytes()) {
                end(download);
                return;
            }
            boolean isFirst = download.taken < 0;
            download.taken = Math.max(download.taken, report.offset());
            if (isFirst) {
                download.sent = report.offset();
                cache.begin(download);
            } else if (cache.isUnderWay(download)) {
                download.send();
            }
        });
    }

    private void end(Download download) {
        downloads.remove(download.hash);
        open.decrementAndGet();
        release(download);
    }

    private void release(Download download) {
        try {
            download.file.close();
        } catch (IOException e) {
            assert !download.file.isOpen();
        }
        download.content.close();
        cache.end(download);
    }

    /** The connection has ended. */
    public void close() {
        cache.depart(() -> {
            isClosed = true;
            List.copyOf(downloads.values()).forEach(this::release);
            downloads.clear();
        });
    }
}
