package mpi;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** MPI.OBJECT: what may be sent, and whose classes come out. */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class ObjectsTest {
    /** A class of the program. */
    public static final class Parcel implements Serializable {
        private static final long serialVersionUID = 1L;
        final int weight;

        public Parcel(int weight) {
            this.weight = weight;
        }
    }

    @Test
    void carriesMatricesRowByRow() {
        Ranks.run(3, (world, rank) -> {
            double[][] matrix = new double[4][];
            if (rank == 0) {
                for (int row = 0; row < 4; row++) {
                    matrix[row] = new double[] {row, row * 10};
                }
            }
            world.Bcast(matrix, 1, 2, MPI.OBJECT, 0);
            assertThat(matrix[1]).containsExactly(1, 10);
            assertThat(matrix[2]).containsExactly(2, 20);
            assertThat(matrix[3] == null).isEqualTo(rank != 0);
        });
    }

    @Test
    void carriesNullsAndKeepsWhatIsShared() {
        Ranks.run(2, (world, rank) -> {
            if (rank == 0) {
                List<String> shared = new ArrayList<>(List.of("x"));
                world.Send(new Object[] {null, shared, shared}, 0, 3, MPI.OBJECT, 1, 0);
            } else {
                Object[] room = {"old", "old", "old"};
                world.Recv(room, 0, 3, MPI.OBJECT, 0, 0);
                assertThat(room[0]).isNull();
                assertThat(room[1]).isEqualTo(List.of("x")).isSameAs(room[2]);
            }
        });
    }

    @Test
    void aRankGetsCopiesOfItsOwnObjectsToo() {
        Ranks.run(2, (world, rank) -> {
            Parcel[] mine = {new Parcel(rank)};
            Parcel[] all = new Parcel[2];
            world.Allgather(mine, 0, 1, MPI.OBJECT, all, 0, 1, MPI.OBJECT);
            assertThat(all[rank].weight).isEqualTo(rank);
            assertThat(all[rank]).isNotSameAs(mine[0]);
        });
    }

    /** Loads the program's classes a second time, as a launcher that runs ranks as threads would. */
    private static final class Second extends ClassLoader {
        Second() {
            super(ObjectsTest.class.getClassLoader());
        }

        @Override
        protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
            if (!name.equals(Parcel.class.getName())) {
                return super.loadClass(name, resolve);
            }
            Class<?> loaded = findLoadedClass(name);
            return loaded == null ? define(name) : loaded;
        }

        private Class<?> define(String name) throws ClassNotFoundException {
            try (InputStream in = getParent().getResourceAsStream(name.replace('.', '/') + ".class")) {
                byte[] bytes = in.readAllBytes();
                return defineClass(name, bytes, 0, bytes.length);
            } catch (IOException e) {
                throw new ClassNotFoundException(name, e);
            }
        }
    }

    @Test
    void findsClassesThroughTheContextClassLoader() {
        Ranks.run(2, (world, rank) -> {
            if (rank == 0) {
                world.Send(new Object[] {new Parcel(3), int.class}, 0, 2, MPI.OBJECT, 1, 0);
                return;
            }
            Second loader = new Second();
            Thread.currentThread().setContextClassLoader(loader);
            Object[] room = new Object[2];
            world.Recv(room, 0, 2, MPI.OBJECT, 0, 0);
            assertThat(room[0].getClass().getName()).isEqualTo(Parcel.class.getName());
            assertThat(room[0].getClass().getClassLoader()).isSameAs(loader);
            assertThat(room[1]).isEqualTo(int.class);
        });
    }
}
