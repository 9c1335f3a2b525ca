package org.posthouse.launch.remote;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.posthouse.launch.job.JobFailure;
import org.posthouse.launch.stage.JobContent;
import org.posthouse.wire.AgentOffer;
import org.posthouse.wire.FrameView;
import org.posthouse.wire.StageAnswer;
import org.posthouse.wire.StageAsk;
import org.posthouse.wire.StageData;
import org.posthouse.wire.StageTaken;
import org.posthouse.wire.Wire;
import org.posthouse.wire.WireException;

/** A launcher sends a relay what it lacks. The relay answers within the call that sends. */
@Timeout(20)
class ContentUploadTest {
    private static final int BYTES = 3 * Wire.STAGE_WINDOW_BYTES + 5;

    @TempDir
    private Path folder;

    private final List<StageData> data = new ArrayList<>();
    private final AtomicReference<ContentUpload> upload = new AtomicReference<>();

    /** What the relay has of each file. */
    private long has;

    /** What the relay says of a file that it refuses; null if it takes all. */
    private String refusal;

    private boolean isSilent;
    private long underWayMost;
    private long taken;

    private final AgentTransport lines = new AgentTransport() {
        @Override
        public void send(int relay, ByteBuffer frame) {
            try {
                answer(frame);
            } catch (WireException e) {
                throw new AssertionError(e);
            }
        }

        @Override
        public List<AgentOffer> nodes(int relay) {
            return List.of();
        }
    };

    private void answer(ByteBuffer frame) throws WireException {
        switch (new FrameView().wrap(frame, 0).type()) {
            case STAGE_ASK -> {
                StageAsk ask = StageAsk.decode(frame);
                taken = has;
                upload.get().onAnswer(new StageAnswer(ask.hash(), Math.min(has, ask.length()), ""));
            }
            case STAGE_DATA -> {
                StageData piece = StageData.decode(frame);
                data.add(piece);
                long end = piece.offset() + piece.bytes().remaining();
                underWayMost = Math.max(underWayMost, end - taken);
                if (refusal != null) {
                    upload.get().onAnswer(StageAnswer.refused(piece.hash(), refusal));
                } else if (!isSilent) {
                    taken = end;
                    upload.get().onTaken(new StageTaken(piece.hash(), end));
                }
            }
            default -> throw new AssertionError(frame);
        }
    }

    private Path file() throws Exception {
        byte[] bytes = new byte[BYTES];
        new Random(1).nextBytes(bytes);
        return Files.write(folder.resolve("app.jar"), bytes);
    }

    private ContentUpload upload(JobContent content) {
        upload.set(new ContentUpload(0, "site-a", content, lines));
        return upload.get();
    }

    private long sent() {
        return data.stream().mapToLong(piece -> piece.bytes().remaining()).sum();
    }

    @Test
    void sendsWhatTheRelayLacks() throws Exception {
        try (JobContent content = JobContent.of(List.of(), List.of(file()))) {
            has = 1_000;
            upload(content).run();
            assertThat(data.getFirst().offset()).isEqualTo(1_000);
            assertThat(sent()).isEqualTo(BYTES - 1_000);
            data.clear();
            has = BYTES;
            upload.get().run();
            assertThat(data).isEmpty();
            assertThat(upload.get().bytesMissing()).isZero();
        }
    }

    @Test
    void sendsNoMoreThanTheWindowAndEndsWithTheConnection() throws Exception {
        try (JobContent content = JobContent.of(List.of(), List.of(file()))) {
            isSilent = true;
            ContentUpload sender = upload(content);
            AtomicReference<String> end = new AtomicReference<>();
            Thread thread = Thread.ofPlatform().start(() -> {
                try {
                    sender.run();
                } catch (JobFailure | InterruptedException e) {
                    end.set(e.getMessage());
                }
            });
            await().until(() -> thread.getState() == Thread.State.TIMED_WAITING);
            sender.lost("the connection broke");
            thread.join();
            assertThat(end.get()).isEqualTo("files cannot be staged: the connection broke");
            assertThat(underWayMost).isEqualTo(Wire.STAGE_WINDOW_BYTES);
        }
    }

    @Test
    void aRefusalNamesFileAndRelay() throws Exception {
        Path file = file();
        try (JobContent content = JobContent.of(List.of(), List.of(file))) {
            refusal = "the disk is full";
            assertThatThrownBy(() -> upload(content).run())
                    .isInstanceOf(JobFailure.class)
                    .hasMessage(file + " cannot be staged at relay site-a: the disk is full");
        }
    }

    @Test
    void aFileThatHasChangedIsToldAsThat() throws Exception {
        Path file = file();
        try (JobContent content = JobContent.of(List.of(), List.of(file))) {
            Files.writeString(file, "another build");
            refusal = "it has arrived with another digest";
            assertThatThrownBy(() -> upload(content).run())
                    .isInstanceOf(JobFailure.class)
                    .hasMessage(file + " cannot be staged: it has changed since it was read; run the job again");
        }
    }
}
