package mpi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Arrays;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

/** Pack and Unpack at the edges: what ends exactly at the end, and what goes beyond. */
class PackingTest {
    private static void requireError(int errorClass, String message, ThrowingCallable call) {
        assertThatThrownBy(call)
                .isInstanceOfSatisfying(
                        MPIException.class, e -> assertThat(e.getErrorClass()).isEqualTo(errorClass))
                .hasMessageContaining(message);
    }

    @Test
    void theRoomIsUsedToItsLastByteAndNotBeyond() {
        Ranks.run(1, (world, rank) -> {
            for (int room = 0; room <= 20; room++) {
                byte[] packed = new byte[room];
                Arrays.fill(packed, (byte) 99);
                int at = 0;
                int value = 1;
                while (at + Integer.BYTES <= room) {
                    int next = world.Pack(new int[] {0, value++}, 1, 1, MPI.INT, packed, at);
                    assertThat(next).isEqualTo(at + Integer.BYTES);
                    at = next;
                }
                int end = at;
                requireError(
                        MPI.ERR_TRUNCATE, "4 bytes from position " + end + " on, expected at most the " + (room - end),
                        () -> world.Pack(new int[1], 0, 1, MPI.INT, packed, end));
                byte[] untouched = new byte[room - end];
                Arrays.fill(untouched, (byte) 99);
                assertThat(Arrays.copyOfRange(packed, end, room)).isEqualTo(untouched);
                int[] back = new int[value - 1];
                assertThat(world.Unpack(packed, 0, back, 0, back.length, MPI.INT)).isEqualTo(end);
                for (int i = 0; i < back.length; i++) {
                    assertThat(back[i]).isEqualTo(i + 1);
                }
            }
        });
    }

    @Test
    void nothingTakesNoRoomAnywhere() {
        Ranks.run(1, (world, rank) -> {
            byte[] packed = new byte[3];
            assertThat(world.Pack(new int[0], 0, 0, MPI.INT, packed, 3)).isEqualTo(3);
            assertThat(world.Unpack(packed, 3, new int[0], 0, 0, MPI.INT)).isEqualTo(3);
            requireError(
                    MPI.ERR_ARG, "position is 4, expected 0 to its length 3",
                    () -> world.Pack(new int[0], 0, 0, MPI.INT, packed, 4));
            requireError(
                    MPI.ERR_ARG, "position is -1", () -> world.Unpack(packed, -1, new int[0], 0, 0, MPI.INT));
        });
    }

    @Test
    void objectsEndWhereTheyEnd() {
        Ranks.run(1, (world, rank) -> {
            Object[] values = {"first", null, new int[] {1, 2, 3}};
            byte[] packed = new byte[4096];
            int end = world.Pack(values, 0, 3, MPI.OBJECT, packed, 5);
            Object[] back = new Object[3];
            int middle = world.Unpack(packed, 5, back, 0, 1, MPI.OBJECT);
            assertThat(world.Unpack(packed, middle, back, 1, 2, MPI.OBJECT)).isEqualTo(end);
            assertThat(back[0]).isEqualTo("first");
            assertThat(back[1]).isNull();
            assertThat((int[]) back[2]).containsExactly(1, 2, 3);
            // One byte less, at either end.
            byte[] tooShort = new byte[end - 5 - 1];
            requireError(
                    MPI.ERR_TRUNCATE, "Pack at rank 0", () -> world.Pack(values, 0, 3, MPI.OBJECT, tooShort, 0));
            byte[] cut = Arrays.copyOfRange(packed, 5, end - 1);
            requireError(
                    MPI.ERR_TRUNCATE, "Unpack at rank 0", () -> world.Unpack(cut, 0, back, 0, 3, MPI.OBJECT));
        });
    }

    @Test
    void aLengthThatIsNoneIsAnError() {
        Ranks.run(1, (world, rank) -> {
            byte[] packed = new byte[64];
            Arrays.fill(packed, (byte) -1);
            requireError(
                    MPI.ERR_TRUNCATE, "-1 bytes from position 4 on",
                    () -> world.Unpack(packed, 0, new Object[1], 0, 1, MPI.OBJECT));
        });
    }

    @Test
    void gapsOfADatatypeAreNotPacked() {
        Ranks.run(1, (world, rank) -> {
            Datatype column = Datatype.Vector(3, 1, 2, MPI.SHORT);
            short[] matrix = {1, -1, 2, -2, 3};
            byte[] packed = new byte[6];
            assertThat(world.Pack(matrix, 0, 1, column, packed, 0)).isEqualTo(6);
            short[] back = {9, 9, 9, 9, 9};
            assertThat(world.Unpack(packed, 0, back, 0, 1, column)).isEqualTo(6);
            assertThat(back).containsExactly(1, 9, 2, 9, 3);
            requireError(
                    MPI.ERR_TRUNCATE, "6 bytes from position 1 on, expected at most the 5",
                    () -> world.Pack(matrix, 0, 1, column, packed, 1));
        });
    }
}
