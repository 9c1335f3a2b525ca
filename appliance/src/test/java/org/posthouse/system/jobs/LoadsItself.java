package org.posthouse.system.jobs;

import java.io.IOException;
import java.io.InputStream;
import java.io.Serializable;
import java.util.concurrent.ForkJoinPool;
import mpi.MPI;

/** A program whose classes a loader of its own loads, as frameworks do; it receives an object in a thread of the common pool, which knows nothing of that loader. */
public final class LoadsItself {
    private LoadsItself() {}

    public static void main(String[] args) throws Exception {
        Class<?> program = new Own().loadClass(Program.class.getName());
        ((Runnable) program.getConstructor().newInstance()).run();
    }

    /** What is sent. */
    public static final class Parcel implements Serializable {
        private static final long serialVersionUID = 1L;
    }

    /** What the loader runs. */
    public static final class Program implements Runnable {
        @Override
        public void run() {
            MPI.Init(new String[0]);
            MPI.COMM_WORLD.Isend(new Object[] {new Parcel()}, 0, 1, MPI.OBJECT, 0, 0).Free();
            Object[] room = new Object[1];
            ForkJoinPool.commonPool().submit(() -> MPI.COMM_WORLD.Recv(room, 0, 1, MPI.OBJECT, 0, 0)).join();
            System.out.println("of this program: " + (room[0] instanceof Parcel));
            MPI.Finalize();
        }
    }

    /** Loads the classes above itself. */
    private static final class Own extends ClassLoader {
        Own() {
            super(LoadsItself.class.getClassLoader());
        }

        @Override
        protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
            if (!name.startsWith(LoadsItself.class.getName() + "$")) {
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
}
