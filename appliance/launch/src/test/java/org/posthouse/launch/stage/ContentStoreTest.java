package org.posthouse.launch.stage;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.posthouse.testkit.SmallDisk;

/** Content that arrives, stays, is used, and leaves. */
class ContentStoreTest {
    private static final int BYTES_MAX = 1_000;

    @TempDir
    private Path above;

    private Path folder;
    private ContentStore store;

    @BeforeEach
    void open() throws Exception {
        folder = above.resolve("cas");
        store = ContentStore.open(folder, BYTES_MAX);
    }

    @AfterEach
    void close() throws Exception {
        store.close();
    }

    private void reopen() throws Exception {
        store.close();
        store = ContentStore.open(folder, BYTES_MAX);
    }

    /** Content of this length that nothing else has. */
    private static byte[] content(int seed, int length) {
        byte[] bytes = new byte[length];
        new Random(seed).nextBytes(bytes);
        return bytes;
    }

    private static ContentId id(byte[] bytes) {
        try {
            return ContentHasher.read(new ByteArrayInputStream(bytes));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static ByteBuffer part(byte[] bytes, int from, int to) {
        return ByteBuffer.wrap(Arrays.copyOfRange(bytes, from, to));
    }

    private ContentId put(byte[] bytes) throws StageException {
        ContentId id = id(bytes);
        try (IncomingContent incoming = store.receive(id)) {
            incoming.write(0, ByteBuffer.wrap(bytes));
            assertThat(incoming.isWhole()).isTrue();
        }
        return id;
    }

    private boolean has(ContentId id) {
        return store.storedBytes(id) == id.bytes();
    }

    private List<String> files() throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.map(file -> file.getFileName().toString()).filter(name -> !name.equals(FolderLock.NAME)).sorted().toList();
        }
    }

    @Test
    void contentIsVisibleWhenItIsWholeAndOnlyToItsOwner() throws Exception {
        byte[] bytes = content(1, 100);
        ContentId id = id(bytes);
        try (IncomingContent incoming = store.receive(id)) {
            assertThat(incoming.write(0, part(bytes, 0, 60))).isEqualTo(60);
            assertThat(files()).containsExactly(id.fileName() + ".part");
            assertThat(store.pin(id)).isEmpty();
            assertThat(incoming.isWhole()).isFalse();
            assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(folder.resolve(id.fileName() + ".part")))).isEqualTo("rw-------");
            assertThat(incoming.write(60, part(bytes, 60, 100))).isEqualTo(100);
            assertThat(incoming.isWhole()).isTrue();
            assertThat(incoming.path()).hasBinaryContent(bytes);
        }
        assertThat(files()).containsExactly(id.fileName());
        try (PinnedContent pinned = store.pin(id).orElseThrow()) {
            assertThat(pinned.path()).hasBinaryContent(bytes);
            assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(pinned.path()))).isEqualTo("r-x------");
        }
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(folder))).isEqualTo("rwx------");
        assertThat(store.bytesUsed()).isEqualTo(100);
    }

    @Test
    void emptyContentIsWholeAtOnce() throws Exception {
        ContentId id = id(new byte[0]);
        try (IncomingContent incoming = store.receive(id)) {
            assertThat(incoming.isWhole()).isTrue();
            assertThat(incoming.path()).isEmptyFile();
        }
        assertThatThrownBy(() -> store.receive(new ContentId("0".repeat(64), 0))).hasMessageContaining("another digest");
    }

    @Test
    void brokenOffContentContinuesWhereItEnded() throws Exception {
        byte[] bytes = content(2, 100);
        ContentId id = id(bytes);
        try (IncomingContent incoming = store.receive(id)) {
            incoming.write(0, part(bytes, 0, 30));
            assertThat(store.bytesUsed()).as("all of it is reserved").isEqualTo(100);
        }
        assertThat(store.storedBytes(id)).isEqualTo(30);
        assertThat(store.bytesUsed()).as("what has come counts").isEqualTo(30);
        reopen();
        assertThat(store.storedBytes(id)).isEqualTo(30);
        try (IncomingContent incoming = store.receive(id)) {
            assertThat(incoming.position()).isEqualTo(30);
            incoming.write(10, part(bytes, 10, 50));
            incoming.write(50, part(bytes, 50, 100));
            assertThat(incoming.path()).hasBinaryContent(bytes);
        }
        reopen();
        assertThat(has(id)).isTrue();
    }

    @Test
    void contentWithAnotherDigestIsRefusedAndRemoved() throws Exception {
        byte[] bytes = content(3, 100);
        ContentId id = id(bytes);
        byte[] wrong = bytes.clone();
        wrong[50]++;
        try (IncomingContent incoming = store.receive(id)) {
            assertThatThrownBy(() -> incoming.write(0, ByteBuffer.wrap(wrong))).isInstanceOf(StageException.class)
                    .hasMessageMatching("content [0-9a-f]{12}… of 100 bytes has arrived with another digest, [0-9a-f]{12}…, and is removed");
            assertThat(incoming.isWhole()).isFalse();
            assertThat(files()).isEmpty();
            assertThatThrownBy(() -> incoming.write(0, ByteBuffer.wrap(bytes))).hasMessageContaining("another digest");
            assertThat(has(put(bytes))).as("anew, while the refused sender is not gone").isTrue();
        }
        assertThat(has(id)).isTrue();
        assertThat(store.bytesUsed()).isEqualTo(100);
    }

    @Test
    void gapsAndSurplusBytesAreRefused() throws Exception {
        byte[] bytes = content(4, 100);
        try (IncomingContent incoming = store.receive(id(bytes))) {
            incoming.write(0, part(bytes, 0, 10));
            assertThatThrownBy(() -> incoming.write(11, part(bytes, 11, 20))).hasMessageEndingWith("has a gap: bytes from 11 on, expected from 10 on");
            assertThatThrownBy(() -> incoming.write(-1, part(bytes, 0, 20))).hasMessageContaining("has a gap");
            assertThatThrownBy(() -> incoming.write(10, ByteBuffer.allocate(91))).hasMessageEndingWith("has more bytes than that: 101");
            incoming.write(10, part(bytes, 10, 100));
        }
        assertThat(has(id(bytes))).isTrue();
    }

    @Test
    void twoSendersOfOneContentShareItsBytes() throws Exception {
        byte[] bytes = content(5, 100);
        ContentId id = id(bytes);
        IncomingContent first = store.receive(id);
        first.write(0, part(bytes, 0, 40));
        IncomingContent second = store.receive(id);
        assertThat(second.position()).isEqualTo(40);
        second.write(40, part(bytes, 40, 70));
        first.close();
        assertThat(first.write(40, part(bytes, 40, 50))).as("known bytes are skipped").isEqualTo(70);
        second.write(70, part(bytes, 70, 100));
        assertThat(second.isWhole()).isTrue();
        second.close();
        assertThat(store.receive(id).isWhole()).as("for a third").isTrue();
        assertThat(store.bytesUsed()).isEqualTo(100);
    }

    @Test
    void sendersAtOnceMakeOneContent() throws Exception {
        byte[] bytes = content(6, 900);
        ContentId id = id(bytes);
        CountDownLatch start = new CountDownLatch(1);
        try (ExecutorService threads = Executors.newFixedThreadPool(4)) {
            List<Future<Boolean>> senders = Stream.generate(() -> threads.submit(() -> {
                start.await();
                try (IncomingContent incoming = store.receive(id)) {
                    while (!incoming.isWhole()) {
                        int from = (int) incoming.position();
                        incoming.write(from, part(bytes, from, Math.min(from + 7, bytes.length)));
                    }
                    return Arrays.equals(Files.readAllBytes(incoming.path()), bytes);
                }
            })).limit(4).toList();
            start.countDown();
            for (Future<Boolean> sender : senders) {
                assertThat(sender.get()).isTrue();
            }
        }
        assertThat(files()).containsExactly(id.fileName());
        assertThat(store.bytesUsed()).isEqualTo(900);
    }

    @Test
    void leastRecentlyUsedContentMakesRoom() throws Exception {
        ContentId a = put(content(10, 400));
        ContentId b = put(content(11, 400));
        store.pin(a).orElseThrow().close();
        ContentId c = put(content(12, 400));
        assertThat(List.of(has(a), has(b), has(c))).containsExactly(true, false, true);
        assertThat(files()).hasSize(2);
        assertThat(store.bytesUsed()).isEqualTo(800);
    }

    @Test
    void orderOfUseOutlivesTheProcess() throws Exception {
        ContentId a = put(content(13, 400));
        ContentId b = put(content(14, 400));
        store.pin(a).orElseThrow().close();
        reopen();
        put(content(15, 400));
        assertThat(List.of(has(a), has(b))).containsExactly(true, false);
    }

    @Test
    void contentInUseStaysAndSaysWhyOtherContentIsRefused() throws Exception {
        ContentId a = put(content(16, 400));
        ContentId b = put(content(17, 400));
        PinnedContent twice = store.pin(a).orElseThrow();
        try (PinnedContent used = store.pin(a).orElseThrow()) {
            twice.close();
            twice.close();
            store.pin(b).orElseThrow().close(); // So that a is the least recently used.
            ContentId c = put(content(18, 600));
            assertThat(List.of(has(a), has(b), has(c))).containsExactly(true, false, true);
            assertThatThrownBy(() -> put(content(19, 601))).isInstanceOf(StageException.class)
                    .hasMessage("the store in " + folder + " has no room for 601 bytes: jobs use 400 of its 1000 bytes (--stage-cache)");
            assertThat(has(c)).as("nothing is removed in vain").isTrue();
            assertThat(used.path()).exists();
        }
        assertThat(has(put(content(19, 601)))).isTrue();
        assertThat(has(a)).isFalse();
    }

    @Test
    void contentThatArrivesIsInUse() throws Exception {
        byte[] bytes = content(20, 600);
        try (IncomingContent incoming = store.receive(id(bytes))) {
            incoming.write(0, part(bytes, 0, 1));
            assertThatThrownBy(() -> put(content(21, 500))).hasMessageContaining("jobs use 600 of its 1000 bytes");
            put(content(22, 400));
            incoming.write(1, part(bytes, 1, 600));
        }
        assertThat(store.bytesUsed()).isEqualTo(1_000);
    }

    @Test
    void contentLargerThanTheStoreIsRefusedBeforeItsFirstByte() throws Exception {
        ContentId kept = put(content(23, 900));
        assertThatThrownBy(() -> store.receive(id(content(24, 1_001))))
                .hasMessageMatching("content .*… of 1001 bytes is larger than the store in .*, which takes 1000 bytes \\(--stage-cache\\)");
        assertThat(has(kept)).isTrue();
    }

    @Test
    void smallerLimitAppliesToWhatIsThere() throws Exception {
        ContentId a = put(content(25, 400));
        ContentId b = put(content(26, 400));
        store.close();
        store = ContentStore.open(folder, 500);
        assertThat(List.of(has(a), has(b))).containsExactly(false, true);
    }

    @Test
    void storedFileThatSomebodyWroteToIsVerifiedAgain() throws Exception {
        ContentId touched = put(content(27, 100));
        ContentId changed = put(content(28, 100));
        Files.setLastModifiedTime(folder.resolve(touched.fileName()), FileTime.from(Instant.now()));
        Path file = folder.resolve(changed.fileName());
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
        Files.write(file, content(29, 100));
        assertThat(store.pin(touched)).isPresent();
        assertThat(store.pin(changed)).isEmpty();
        assertThat(file).doesNotExist();
        assertThat(store.bytesUsed()).isEqualTo(100);
        assertThat(has(put(content(28, 100)))).isTrue();
    }

    /** As a power cut may leave it. */
    @Test
    void partialFileWithWrongBytesBeginsAnew() throws Exception {
        byte[] bytes = content(30, 100);
        ContentId id = id(bytes);
        store.close();
        Files.write(folder.resolve(id.fileName() + ".part"), new byte[100]);
        store = ContentStore.open(folder, BYTES_MAX);
        try (IncomingContent incoming = store.receive(id)) {
            assertThat(incoming.position()).isZero();
            incoming.write(0, ByteBuffer.wrap(bytes));
        }
        assertThat(has(id)).isTrue();
        assertThat(store.bytesUsed()).isEqualTo(100);
    }

    @Test
    void cutFilesOfACrashAreRemovedAndOtherFilesLeftAlone() throws Exception {
        ContentId id = id(content(31, 100));
        store.close();
        Files.write(folder.resolve(id.fileName()), new byte[99]);
        Files.write(folder.resolve("notes"), new byte[1]);
        store = ContentStore.open(folder, BYTES_MAX);
        assertThat(files()).containsExactly("notes");
        assertThat(store.storedBytes(id)).isZero();
    }

    /** The main class of a process that is killed while it stores content. */
    static final class Sender {
        private Sender() {}

        public static void main(String... arguments) throws Exception {
            byte[] bytes = content(32, 900);
            ContentStore store = ContentStore.open(Path.of(arguments[0]), BYTES_MAX);
            IncomingContent incoming = store.receive(id(bytes));
            incoming.write(0, part(bytes, 0, 500));
            System.out.println("written");
            System.in.read();
        }
    }

    @Test
    void killedProcessLeavesAPartialFileThatTheNextOneContinues() throws Exception {
        store.close();
        Process sender = new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-cp", System.getProperty("java.class.path"), Sender.class.getName(),
                folder.toString()).redirectError(ProcessBuilder.Redirect.INHERIT).start();
        try {
            assertThat(sender.inputReader().readLine()).isEqualTo("written");
            assertThatThrownBy(() -> ContentStore.open(folder, BYTES_MAX)).isInstanceOf(StageException.class)
                    .hasMessage("the folder " + folder + " is in use by another process: name another one with --dir");
        } finally {
            sender.destroyForcibly().waitFor();
        }
        store = ContentStore.open(folder, BYTES_MAX);
        byte[] bytes = content(32, 900);
        try (IncomingContent incoming = store.receive(id(bytes))) {
            assertThat(incoming.position()).isEqualTo(500);
            incoming.write(500, part(bytes, 500, 900));
            assertThat(incoming.isWhole()).isTrue();
        }
    }

    @Test
    void folderIsUsedByOneStoreOfTheProcess() {
        assertThatThrownBy(() -> ContentStore.open(folder, BYTES_MAX)).hasMessageContaining("is in use by another process");
    }

    @Test
    void fullDiskIsOneLineAndLeavesNothing() throws Exception {
        try (SmallDisk disk = SmallDisk.mount(above.resolve("small"), 1); ContentStore small = ContentStore.open(disk.seen("cas"), 10 << 20)) {
            byte[] large = content(33, 2 << 20);
            assertThatThrownBy(() -> small.receive(id(large)))
                    .hasMessageMatching("content .* cannot be stored in .*: the disk is full \\(\\d+ bytes are free\\)");
            byte[] bytes = content(34, 512 << 10);
            try (IncomingContent incoming = small.receive(id(bytes))) {
                incoming.write(0, part(bytes, 0, 1_000));
                disk.fill();
                assertThatThrownBy(() -> incoming.write(1_000, part(bytes, 1_000, bytes.length))).isInstanceOf(StageException.class)
                        .hasMessageMatching("content .* cannot be stored in .*: the disk is full \\(No space left on device\\)");
            }
            assertThat(small.bytesUsed()).isZero();
            assertThat(disk.seen("cas").toFile().list()).containsExactly(FolderLock.NAME);
            disk.makeRoom();
            try (IncomingContent incoming = small.receive(id(bytes))) {
                incoming.write(0, ByteBuffer.wrap(bytes));
                assertThat(incoming.isWhole()).isTrue();
            }
        }
    }
}
