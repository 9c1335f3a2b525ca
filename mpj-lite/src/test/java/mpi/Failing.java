package mpi;

/** An operation of a program that throws, whoever reduces by it. */
final class Failing extends User_function {
    @Override
    public void Call(Object in, int inAt, Object inOut, int inOutAt, int count, Datatype type) {
        throw new IllegalStateException("as the test wants it");
    }
}
