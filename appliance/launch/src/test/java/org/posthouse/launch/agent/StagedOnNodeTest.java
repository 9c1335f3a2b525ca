package org.posthouse.launch.agent;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.posthouse.launch.stage.ContentStore;
import org.posthouse.launch.stage.JobFolders;
import org.posthouse.wire.ContentHash;
import org.posthouse.wire.FrameType;
import org.posthouse.wire.FrameView;
import org.posthouse.wire.StageAnswer;
import org.posthouse.wire.StageAsk;
import org.posthouse.wire.StageData;
import org.posthouse.wire.StageTaken;
import org.posthouse.wire.StartSpec;
import org.posthouse.wire.Token;

/** An agent fetches the files of a process and puts them where it runs, without threads and sockets. */
class StagedOnNodeTest {
    private static final long JOB = 7;
    private static final byte[] CONTENT = "the content of a file".getBytes(StandardCharsets.UTF_8);

    @TempDir
    private Path folder;

    private final Deque<ByteBuffer> sent = new ArrayDeque<>();
    private final List<NodeFiles.Staged> ready = new ArrayList<>();
    private final List<String> failed = new ArrayList<>();
    private ContentStore store;
    private JobFolders folders;
    private ContentFetcher fetcher;
    private NodeFiles files;

    @BeforeEach
    void open() throws Exception {
        store = ContentStore.open(folder.resolve("cas"), 1_000);
        folders = JobFolders.open(folder.resolve("jobs"));
        fetcher = new ContentFetcher(store, Runnable::run, Runnable::run, sent::add);
        files = new NodeFiles(folders, JOB, fetcher, Runnable::run, Runnable::run, 1_000);
    }

    @AfterEach
    void close() throws Exception {
        store.close();
        folders.close();
    }

    private static ContentHash hash(byte[] content) throws Exception {
        return ContentHash.of(MessageDigest.getInstance("SHA-256").digest(content));
    }

    private void stage(StartSpec.StagedFile classPath, StartSpec.StagedFile... others) {
        StartSpec spec = new StartSpec(
                "Main", List.of(), List.of(), new TreeMap<>(), List.of(classPath), List.of(others), "", "", Token.NONE, false, false, "", false, 0);
        files.stage(3, spec, ready::add, failed::add);
    }

    private static StartSpec.StagedFile file(String name) throws Exception {
        return new StartSpec.StagedFile(name, hash(CONTENT), CONTENT.length);
    }

    private void assertAsksFrom(long offset) throws Exception {
        ByteBuffer ask = sent.remove();
        assertThat(StageAsk.decode(ask)).isEqualTo(new StageAsk(hash(CONTENT), CONTENT.length, false));
        assertThat(StageTaken.decode(sent.remove()).offset()).isEqualTo(offset);
        assertThat(sent).isEmpty();
    }

    private void arrive(int from, int to) throws Exception {
        fetcher.onData(new StageData(hash(CONTENT), from, ByteBuffer.wrap(CONTENT, from, to - from)));
        ByteBuffer taken = sent.remove();
        assertThat(new FrameView().wrap(taken, 0).type()).isSameAs(FrameType.STAGE_TAKEN);
        assertThat(StageTaken.decode(taken).offset()).isEqualTo(to);
    }

    @Test
    void filesAreLinkedAndRemovedWithTheJob() throws Exception {
        stage(file("0/a.jar"), file("data"), file("sub/data"));
        assertAsksFrom(0);
        fetcher.onAnswer(new StageAnswer(hash(CONTENT), CONTENT.length, ""));
        arrive(0, CONTENT.length);
        assertThat(failed).isEmpty();
        NodeFiles.Staged staged = ready.getFirst();
        assertThat(staged.classPath().getFirst()).hasBinaryContent(CONTENT).hasFileName("a.jar");
        assertThat(staged.own().resolve("data")).hasBinaryContent(CONTENT);
        assertThat(staged.own().resolve("sub/data")).hasBinaryContent(CONTENT);
        files.close();
        assertThat(staged.own().getParent()).doesNotExist();
        stage(file("0/a.jar"));
        assertThat(sent).as("the store has it").isEmpty();
    }

    @Test
    void aFetchContinuesOnAnotherConnection() throws Exception {
        stage(file("0/a.jar"));
        assertAsksFrom(0);
        arrive(0, 5);
        fetcher.connected();
        assertAsksFrom(5);
        arrive(5, CONTENT.length);
        assertThat(ready).hasSize(1);
    }

    @Test
    void aRelayThatLacksAFileIsAskedAgainForAMinute() throws Exception {
        stage(file("0/a.jar"));
        assertAsksFrom(0);
        long nowNs = System.nanoTime();
        fetcher.onAnswer(new StageAnswer(hash(CONTENT), 0, ""));
        fetcher.tick(nowNs);
        assertThat(sent).as("not at once").isEmpty();
        fetcher.tick(nowNs + TimeUnit.SECONDS.toNanos(10));
        assertAsksFrom(0);
        fetcher.tick(nowNs + TimeUnit.SECONDS.toNanos(100));
        assertThat(failed).containsExactly(
                "0/a.jar cannot be staged: the relay does not have it, and got it from no launcher for 60 s");
    }

    @Test
    void contentThatDiffersFromItsHashIsRefused() throws Exception {
        stage(file("0/a.jar"));
        assertAsksFrom(0);
        fetcher.onData(new StageData(hash(CONTENT), 0, ByteBuffer.wrap(new byte[CONTENT.length])));
        assertThat(failed).singleElement().asString().startsWith("0/a.jar cannot be staged: ").contains("another digest");
        assertThat(store.bytesUsed()).isZero();
    }

    @Test
    void namesThatLeadOutOfTheJobsFolderAreRefused() throws Exception {
        stage(file("../a.jar"));
        stage(file("0/a.jar"), file("../data"));
        stage(file("0/a.jar"), file("/etc/data"));
        assertThat(failed).containsExactly(
                "the name \"../a.jar\" of a job's file has the part \"..\"",
                "the name \"../data\" of a job's file has the part \"..\"",
                "the name \"/etc/data\" of a job's file is absolute");
        assertThat(sent).as("nothing is fetched").isEmpty();
        assertThat(ready).isEmpty();
    }

    @Test
    void aSharedEntryThatIsMissingIsTold() throws Exception {
        Path gone = folder.resolve("gone.jar");
        stage(new StartSpec.StagedFile(gone.toString(), StartSpec.StagedFile.SHARED, 0));
        assertThat(failed).containsExactly(gone + " of the class path does not exist on this node");
    }

    @Test
    void moreThanTheStoreTakesIsRefusedBeforeTheFirstByte() throws Exception {
        stage(new StartSpec.StagedFile("0/a.jar", hash(CONTENT), 1_001));
        assertThat(failed).singleElement().asString().endsWith("of 1001 (--stage-cache)");
        assertThat(sent).isEmpty();
    }
}
