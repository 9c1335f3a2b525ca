package org.posthouse.logstore.image;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.posthouse.logstore.file.LogException;
import org.posthouse.logstore.record.Checkpoint;

/** Images that are whole or not there, whatever happens while they are stored and afterwards. */
final class ImageStoreTest {
    private static final long JOB = 0xabcdL;
    private static final int RANK = 2;
    private static final int BYTES = 3 * ImageLayout.CHUNK_BYTES + 100;
    private static final Checkpoint AT = Checkpoint.at(7, 8, 9, 10);

    @TempDir
    private Path folder;

    private ImageStore store;

    @BeforeEach
    void setUp() {
        store = new ImageStore(folder.resolve("images"));
    }

    private static byte[] content(long number, int bytes) {
        byte[] content = new byte[bytes];
        new Random(number).nextBytes(content);
        return content;
    }

    private ImageFile write(long number, byte[] content) {
        ImageFile file = store.begin(JOB, RANK, 3, number, content.length);
        for (int at = 0; at < content.length; at += 10_000) {
            file.put(ByteBuffer.wrap(content, at, Math.min(10_000, content.length - at)));
        }
        return file;
    }

    private Checkpoint save(long number, int bytes) {
        try (ImageFile file = write(number, content(number, bytes))) {
            return file.commit(AT);
        }
    }

    private byte[] load(Checkpoint checkpoint) {
        ByteBuffer all = ByteBuffer.allocate((int) checkpoint.bytes());
        try (Image image = store.open(JOB, RANK, checkpoint)) {
            for (ByteBuffer piece = image.next(); piece != null; piece = image.next()) {
                all.put(piece);
                assertThat(image.offset()).isEqualTo(all.position());
            }
        }
        return all.array();
    }

    /** What a rank has in memory is nobody else's to read, whoever may look into the folder. */
    @Test
    void isItsOwnersAlone() throws IOException {
        try (ImageFile file = write(1, content(1, BYTES))) {
            assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file(1).resolveSibling("1.img.tmp")))).isEqualTo("rw-------");
            file.commit(AT);
        }
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file(1)))).isEqualTo("rw-------");
    }

    @Test
    void refusesImageThatCannotFitOnDisk() {
        assertThatThrownBy(() -> store.begin(JOB, RANK, 3, 1, 1L << 60)).isInstanceOf(LogException.class)
                .hasMessageContaining("would take 1152921504606846976 bytes");
        assertThat(file(1).getParent()).isEmptyDirectory();
    }

    private Path file(long number) {
        return folder.resolve("images/000000000000abcd/2/" + number + ".img");
    }

    private List<String> files() throws IOException {
        try (Stream<Path> files = Files.list(file(1).getParent())) {
            return files.map(file -> file.getFileName().toString()).sorted().toList();
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, ImageLayout.CHUNK_BYTES - 1, ImageLayout.CHUNK_BYTES, ImageLayout.CHUNK_BYTES + 1, BYTES})
    void loadReturnsSavedImage(int bytes) {
        Checkpoint saved = save(4, bytes);
        assertThat(saved.number()).isEqualTo(4);
        assertThat(saved.bytes()).isEqualTo(bytes);
        assertThat(saved.pin()).isEqualTo(7);
        assertThat(saved.deliveries()).isEqualTo(9);
        assertThat(load(saved)).isEqualTo(content(4, bytes));
    }

    @Test
    void findsAFlippedBitWhereverItIs() throws IOException {
        Checkpoint saved = save(1, BYTES);
        byte[] sound = Files.readAllBytes(file(1));
        Random random = new Random(5);
        for (int i = 0; i < 200; i++) {
            byte[] flipped = sound.clone();
            int at = i < 64 ? i : random.nextInt(sound.length);
            flipped[at] ^= (byte) (1 << random.nextInt(8));
            Files.write(file(1), flipped);
            assertThatThrownBy(() -> store.open(JOB, RANK, saved)).as("byte " + at).isInstanceOf(LogException.class)
                    .hasMessageContaining("1.img");
        }
        Files.write(file(1), sound);
        assertThat(load(saved)).isEqualTo(content(1, BYTES));
    }

    @Test
    void findsAFlippedBitThatComesWhileItIsRead() throws IOException {
        Checkpoint saved = save(1, BYTES);
        try (Image image = store.open(JOB, RANK, saved)) {
            image.next();
            flip(file(1), ImageLayout.chunkAt(ImageLayout.CHUNK_BYTES) + 100);
            assertThatThrownBy(image::next).isInstanceOf(LogException.class).hasMessageContaining("1.img");
        }
    }

    @Test
    void findsAChunkOfAnotherImage() throws IOException {
        Checkpoint saved = save(1, BYTES);
        byte[] first = Files.readAllBytes(file(1));
        try (ImageFile other = write(1, content(2, BYTES))) {
            other.commit(AT);
        }
        byte[] mixed = Files.readAllBytes(file(1));
        System.arraycopy(first, 0, mixed, 0, (int) ImageLayout.chunkAt(ImageLayout.CHUNK_BYTES));
        Files.write(file(1), mixed);
        assertThatThrownBy(() -> store.open(JOB, RANK, saved))
                .isInstanceOf(LogException.class)
                .hasMessageContaining("chunks that do not belong together");
    }

    /** A disk that does not keep what was written to it. */
    @Test
    void isNotCommittedIfItCannotBeReadBack() throws IOException {
        Checkpoint first = save(1, BYTES);
        try (ImageFile file = write(1, content(2, BYTES))) {
            flip(file(1).resolveSibling("1.img.tmp"), ImageLayout.chunkAt(0) + 100);
            assertThatThrownBy(() -> file.commit(AT)).isInstanceOf(LogException.class).hasMessageContaining("is damaged in the chunk");
        }
        assertThat(load(first)).isEqualTo(content(1, BYTES));
    }

    private static void flip(Path file, long at) throws IOException {
        byte[] bytes = Files.readAllBytes(file);
        bytes[(int) at] ^= 4;
        Files.write(file, bytes);
    }

    @Test
    void findsAFileThatIsTornOrHasMore() throws IOException {
        Checkpoint saved = save(1, BYTES);
        byte[] sound = Files.readAllBytes(file(1));
        for (int bytes : new int[] {0, 63, 64, 68, sound.length - 1, sound.length + 1}) {
            Files.write(file(1), java.util.Arrays.copyOf(sound, bytes));
            assertThatThrownBy(() -> store.open(JOB, RANK, saved)).as(bytes + " bytes").isInstanceOf(LogException.class);
        }
    }

    @Test
    void takesNoOtherImageForTheOneThatTheLogNames() throws IOException {
        Checkpoint first = save(1, BYTES);
        save(2, BYTES);
        Files.copy(file(2), file(1), java.nio.file.StandardCopyOption.REPLACE_EXISTING);
        assertThatThrownBy(() -> store.open(JOB, RANK, first)).hasMessageContaining("is another: image 2");
    }

    @Test
    void leavesNothingOfAnImageThatWasNotCommitted() throws IOException {
        Checkpoint first = save(1, BYTES);
        write(1, content(9, BYTES)).close();
        assertThat(files()).containsExactly("1.img");
        assertThat(load(first)).isEqualTo(content(1, BYTES));
    }

    /** A relay that died before the rename: the old image is there, the new one is not. */
    @Test
    void restartDeletesImageNotYetRenamed() throws IOException {
        Checkpoint first = save(1, BYTES);
        ImageFile killed = write(2, content(2, BYTES));
        assertThat(files()).containsExactly("1.img", "2.img.tmp");
        assertThat(new ImageStore(folder.resolve("images")).retain(job -> job == JOB)).isEmpty();
        assertThat(files()).containsExactly("1.img");
        assertThat(load(first)).isEqualTo(content(1, BYTES));
        killed.close();
    }

    /** A relay that died behind the rename and before its log said so: the number is given again. */
    @Test
    void replacesAnImageThatTheLogNeverNamed() throws IOException {
        Checkpoint first = save(1, BYTES);
        save(2, BYTES);
        try (ImageFile file = write(2, content(22, 500))) {
            Checkpoint again = file.commit(AT);
            assertThat(load(again)).isEqualTo(content(22, 500));
        }
        assertThat(load(first)).isEqualTo(content(1, BYTES));
    }

    @Test
    void keepsTheTwoThatAreWantedAndForgetsJobs() throws IOException {
        save(1, 10);
        Checkpoint second = save(2, 20);
        Checkpoint third = save(3, 30);
        Files.writeString(store.prologue(JOB, RANK), "stays");
        store.keep(JOB, RANK, List.of(second, third));
        assertThat(files()).containsExactly("2.img", "3.img", "prologue.log");
        assertThat(store.retain(job -> false)).containsExactly(JOB);
        store.forget(JOB);
        assertThat(folder.resolve("images")).isEmptyDirectory();
    }

    @Test
    void refusesToCommitHalfAnImage() {
        try (ImageFile file = store.begin(JOB, RANK, 1, 1, 100)) {
            file.put(ByteBuffer.allocate(99));
            assertThatThrownBy(() -> file.commit(AT)).hasMessageContaining("99 of 100 bytes");
            assertThatThrownBy(() -> file.put(ByteBuffer.allocate(2))).hasMessageContaining("it has 100");
        }
    }
}
